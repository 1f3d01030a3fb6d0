// The pages of one file: columns, what to say of a page, colour codes by mode.
class Pages {
  static async read(data) {
    const pages = new Pages();
    Object.assign(pages, { facts: data, n: data.n_pages, extent: data.extent_pages, codesOf: new Map() });
    const { columns } = data;
    const plain = ["type", "state", "page_class", "owner", "segment", "note", "is_index", "level", "records", "data", "garbage", "rank"];
    const arrays = await Promise.all(plain.map((key) => unpack(columns[key])));
    plain.forEach((key, i) => { pages[key] = arrays[i]; });
    pages.lsn = await unpack(columns.lsn.column);
    pages.fill = new Uint16Array(pages.n);
    stepsReader(columns.fill, await unpackPairs(columns.fill))(
      pages.n, (p) => pages.data[p] > 0, pages.data, pages.owner, (p, value) => { pages.fill[p] = value; });
    pages.chains = pages.readChains();
    await pages.readLinks(columns);
    for (const mode of data.modes) await pages.readMode(mode);
    return pages;
  }

  readChains() {
    const chains = this.facts.leaves.map((count) => new Uint32Array(count));
    for (let page = 0; page < this.n; page++) {
      if (this.rank[page]) chains[this.owner[page] - 1][this.rank[page] - 1] = page;
    }
    return chains;
  }

  async readLinks(columns) {
    this.next = new Float64Array(this.n);
    this.prev = new Float64Array(this.n);
    this.chains.forEach((chain) => {
      for (let i = 0; i + 1 < chain.length; i++) {
        this.next[chain[i]] = chain[i + 1] + 1;
        this.prev[chain[i + 1]] = chain[i] + 1;
      }
    });
    for (const key of ["prev", "next"]) {
      const { at, value } = await unpackPairs(columns[key]);
      for (let i = 0; i < at.length; i++) this[key][at[i]] = value[i];
    }
  }

  async readMode(mode) {
    const base = await unpack(mode.codes);
    const codes = base.length === this.n ? Uint8Array.from(base) : new Uint8Array(this.n);
    const out = { mode, codes, levels: null, legend: new Map(mode.legend.map((entry) => [entry.code, entry])) };
    if (mode.scale) {
      const { of, grouped, table } = mode.scale;
      stepsReader(table, await unpackPairs(table))(
        this.n, (p) => base[p] === SCALED, this[of], grouped ? this.owner : null, (p, value) => { codes[p] = value; });
    }
    if (mode.levels) {
      const { of, grouped, table, filled } = mode.levels;
      const isFilled = new Uint8Array(256);
      filled.forEach((code) => { isFilled[code] = 1; });
      const levels = out.levels = new Uint8Array(this.n);
      out.isFilled = isFilled;
      stepsReader(table, await unpackPairs(table))(
        this.n, (p) => isFilled[codes[p]], this[of], grouped ? this.owner : null, (p, value) => { levels[p] = value; });
    }
    this.codesOf.set(mode.name, out);
  }

  /** What is known of a page, as pairs of words; "-" is what does not apply or is not known. */
  describe(page) {
    const data = this.facts;
    const index = this.is_index[page];
    const owner = this.owner[page] ? data.indexes[this.owner[page] - 1] : "-";
    const rank = this.rank[page];
    const last = rank ? data.leaves[this.owner[page] - 1] - 1 : 0;
    const link = (value) => (index && value ? whole(value - 1) : "-");
    const known = index && this.data_at(page) !== null;
    const rows = [
      ["Type", data.types[this.type[page]]],
      ["State", data.states[this.state[page]]],
      ["Account", data.classes[this.page_class[page]]],
      ["Index", owner],
      ["Segment", this.segment[page] ? data.segments[this.segment[page] - 1] : "-"],
      ["Level", index ? whole(this.level[page]) : "-"],
      ["Records", index ? whole(this.records[page]) : "-"],
      ["Fill", known ? `${(this.fill[page] / 10).toFixed(1)} %, ${whole(this.data_at(page))} bytes` : "-"],
      ["Garbage", index ? `${whole(this.garbage[page])} bytes` : "-"],
      ["LSN", this.lsnText(page)],
      ["Prev", link(this.prev[page])],
      ["Next", link(this.next[page])],
      ["Rank", rank ? `${whole(rank - 1)} (0 to ${whole(last)})` : "-"],
    ];
    if (this.note[page]) rows.push(["Note", data.notes[this.note[page]]]);
    return rows;
  }

  lsnText(page) {
    const { text, step } = this.facts.columns.lsn;
    const known = whole(this.lsn[page] * step);
    return text[page] || (step > 1 ? `${known} to ${whole(this.lsn[page] * step + step - 1)}` : known);
  }

  data_at(page) { return this.data[page] ? this.data[page] - 1 : null; }

  sentence(page) {
    return `Page ${whole(page)}: ` + this.describe(page).filter(([, value]) => value !== "-")
      .map(([key, value]) => `${key} ${value}`).join("; ");
  }
}
const SCALED = 254;

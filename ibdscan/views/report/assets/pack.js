// Packed columns back to typed arrays: what pack.py says, nothing more.
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function arrayFor(largest, n) {
  if (largest < 256) return new Uint8Array(n);
  if (largest < 65536) return new Uint16Array(n);
  return largest < 4294967296 ? new Uint32Array(n) : new Float64Array(n);
}

async function unpack(packed) {
  const { n, max, planes, delta, dict } = packed;
  if (!planes) return new Uint8Array(n);
  const raw = await inflate(bytesOf(packed.z));
  if (raw.length !== n * planes) throw new Error("a packed column has the wrong length");
  const plain = planes === 1 && !delta && !dict;
  if (plain) return raw;
  const out = arrayFor(max, n);
  let before = 0;
  for (let i = 0; i < n; i++) {
    let value = 0;
    for (let plane = 0, weight = 1; plane < planes; plane++, weight *= 256) value += raw[plane * n + i] * weight;
    if (delta) { before += value % 2 ? -(value + 1) / 2 : value / 2; value = before; }
    out[i] = dict ? dict[value] : value;
  }
  return out;
}

async function unpackPairs(packed) {
  const [at, value] = await Promise.all([unpack(packed.at), unpack(packed.value)]);
  return { at, value };
}

/** A table of steps over another column: see pack_steps. Calls put(page, value) for every page of the mask. */
function stepsReader(packed, pairs) {
  const tables = new Map(Object.entries(packed.steps).map(([group, table]) => [Number(group), table]));
  return (n, isIn, of, group, put) => {
    for (let page = 0; page < n; page++) {
      if (!isIn(page)) continue;
      const table = tables.get(group ? group[page] : 0);
      if (!table) continue;
      const wanted = of[page];
      let low = 0, high = table.edges.length;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (table.edges[middle] <= wanted) low = middle; else high = middle;
      }
      put(page, table.values[low]);
    }
    for (let i = 0; i < pairs.at.length; i++) put(pairs.at[i], pairs.value[i]);
  };
}

"""Print the commands of the README's block that is marked ``<!-- NAME -->``, as they stand there."""

import re
import sys
from pathlib import Path

name = sys.argv[1]
text = Path("README.md").read_text(encoding="utf-8")
found = re.search(rf"<!-- {re.escape(name)} -->\n```sh\n(.*?)```", text, re.DOTALL)
if found is None:
    sys.exit(f"README.md has no block marked {name}")
sys.stdout.write(found.group(1))

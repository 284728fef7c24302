// SPDX-License-Identifier: BSD-2-Clause
// What a reader of others finds in Parquet files and Arrow streams: a line of JSON for each file, with all its values.
// usage: node read.mjs duckdb|hyparquet|arrow|arrow_rs FILE...
import fs from 'node:fs';

// Integers with all their digits: JSON.stringify knows none of 64 bits.
function json(v) {
  if (v === null || v === undefined) return 'null';
  if (typeof v === 'bigint' || typeof v === 'number' || typeof v === 'boolean') return `${v}`;
  if (typeof v === 'string') return JSON.stringify(v);
  if (Array.isArray(v)) return `[${v.map(json).join(',')}]`;
  return `{${Object.entries(v).map(([k, x]) => `${JSON.stringify(k)}:${json(x)}`).join(',')}}`;
}

async function duckdb() {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const db = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  // It has times in UTC of microseconds only, as objects; of no other kind is any column.
  const plain = (v) => (v !== null && typeof v === 'object' ? v.micros : v);

  return async (path) => {
    const all = await db.runAndReadAll(`SELECT * FROM read_parquet('${path}', hive_partitioning = false)`);
    const facts = await db.runAndReadAll(`SELECT decode(key), decode(value) FROM parquet_kv_metadata('${path}')`);
    return { facts: Object.fromEntries(facts.getRows()), names: all.columnNames(), rows: all.getRows().map((r) => r.map(plain)) };
  };
}

async function hyparquet() {
  const { parquetMetadata, parquetReadObjects, DEFAULT_PARSERS } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const parsers = { ...DEFAULT_PARSERS, timestampFromNanoseconds: (ns) => ns };

  return async (path) => {
    const bytes = fs.readFileSync(path);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const metadata = parquetMetadata(file, { parsers });
    const facts = Object.fromEntries(metadata.key_value_metadata.map((f) => [f.key, f.value]));
    const names = metadata.schema.slice(1).map((s) => s.name);
    const rows = await parquetReadObjects({ file, metadata, compressors, parsers });
    return { facts, names, rows: rows.map((r) => names.map((n) => r[n])) };
  };
}

// Nanoseconds of a time are only in the memory of its column: get() makes milliseconds of them.
function cells(column, Type) {
  if (column.type.typeId !== Type.Timestamp) return [...column];
  return column.data.flatMap((d) => Array.from({ length: d.length }, (_, i) => (d.getValid(i) ? d.values[i] : null)));
}

// Streams go through arrow-rs first if rust is set: it reads and checks them, and writes them anew.
async function arrow(rust = false) {
  const { readParquet, Table } = await import('parquet-wasm/node');
  const { tableFromIPC, Type } = await import('apache-arrow');
  const stream = (bytes) => (rust ? Table.fromIPCStream(bytes).intoIPCStream() : bytes);

  return async (path) => {
    const bytes = new Uint8Array(fs.readFileSync(path));
    const table = tableFromIPC(path.endsWith('.parquet') ? readParquet(bytes).intoIPCStream() : stream(bytes));
    const names = table.schema.fields.map((f) => f.name);
    const columns = names.map((n) => cells(table.getChild(n), Type));
    const units = Object.fromEntries(table.schema.fields.flatMap((f) => [...f.metadata].map(([k, v]) => [`${f.name}.${k}`, v])));
    const rows = Array.from({ length: table.numRows }, (_, i) => columns.map((c) => c[i]));
    return { facts: { ...Object.fromEntries(table.schema.metadata), ...units }, names, rows, batches: table.batches.length };
  };
}

const [name, ...paths] = process.argv.slice(2);
const read = await { duckdb, hyparquet, arrow, arrow_rs: () => arrow(true) }[name]();
for (const path of paths) {
  const found = await read(path);
  fs.writeSync(1, `${json({ path, ...found })}\n`);
}

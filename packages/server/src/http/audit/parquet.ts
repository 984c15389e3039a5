/**
 * Events as Parquet, written as they are read: a row group is sent when it is full, so that memory holds one. What grows
 * with the file is its footer, a few kilobytes for each group; `limits.exportRowsMax` bounds it.
 */
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import { type Column, columns, type Row } from './columns.ts'

/** Rows of a row group at most. */
const groupRowsMax = 5000

const valueOf = (row: Row, { name, type }: Column): unknown =>
  type === 'TIMESTAMP' ? new Date(row.at) : (row[name] ?? null)

const columnData = (rows: readonly Row[]) =>
  columns.map((column) => ({
    name: column.name,
    type: column.type,
    nullable: column.nullable,
    data: rows.map((row) => valueOf(row, column)),
  }))

/**
 * The bytes of a file. Its metadata says where it ends: `signalbox.position` is the position of its last event, or `after`
 * if it has none, and `signalbox.rows` how many there are.
 */
export async function* parquetBytes(
  pages: AsyncIterable<readonly Row[]>,
  { after }: { readonly after: string | undefined },
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = new ByteWriter()
  const schema = schemaFromColumnData({ columnData: columnData([]) })
  const file = new ParquetWriter({ writer: bytes, schema, createdBy: 'signalbox' })
  let position = after
  let rows: Row[] = []
  let count = 0
  const write = () => {
    count += rows.length
    position = rows.at(-1)?.position ?? position
    const written = file.write({ columnData: columnData(rows), rowGroupSize: groupRowsMax })
    rows = []
    return written
  }
  for await (const page of pages) {
    rows.push(...page)
    if (rows.length < groupRowsMax) continue
    await write()
    yield taken(bytes)
  }
  if (rows.length > 0) await write()
  file.kvMetadata = [
    { key: 'signalbox.rows', value: String(count) },
    ...(position === undefined ? [] : [{ key: 'signalbox.position', value: position }]),
  ]
  await file.finish()
  yield taken(bytes)
}

/** What was written since the last time. The writer goes on counting from the beginning of the file. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}

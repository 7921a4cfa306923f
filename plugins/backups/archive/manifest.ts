// The manifest of an archive: the program version and time that made it, and each entry with its size and hash.
import { type Static, Type } from '@sinclair/typebox'
import { unprocessable } from '../../../src/domain/errors.ts'
import { readJsonAs } from '../../../src/domain/validation.ts'

/** The version of the archive format. A program refuses archives of later versions. */
export const FORMAT = 1
export const HEAD_NAME = 'backup.json'
export const MANIFEST_NAME = 'manifest.json'

/** The first entry of an archive, so that a program can refuse a newer archive before it unpacks anything. */
export const Head = Type.Object({
  tollgate_backup: Type.Integer({ minimum: 1 }),
  version: Type.String(),
  schema_version: Type.Integer({ minimum: 1 }),
  made_at_ms: Type.Integer({ minimum: 0 }),
})
export type Head = Static<typeof Head>

/** The last entry of an archive. An archive without it was cut off. */
export const Manifest = Type.Object({
  ...Head.properties,
  entries: Type.Array(
    Type.Object({
      path: Type.String(),
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
  ),
  /** Files that the database copy named, but that were deleted while the archive was made. */
  deleted_meanwhile: Type.Array(Type.String()),
  /** Files that the database names, but that were absent or differed from their row. */
  missing: Type.Array(Type.String()),
})
export type Manifest = Static<typeof Manifest>

export const readHead = (text: string, archive: string): Head => readAs(Head, text, archive)
export const readManifest = (text: string, archive: string): Manifest => readAs(Manifest, text, archive)

function readAs<S extends typeof Head | typeof Manifest>(
  schema: S,
  text: string,
  archive: string,
): Static<S> {
  const described = readJsonAs(schema, text)
  if (described) return described
  throw unprocessable(`${archive} is not a backup of Tollgate: its description lacks what every backup has.`)
}

/** @throws GatewayError unprocessable for an archive that a newer program made */
export function refuseNewerArchive(head: Head, known_schema_version: number, archive: string): void {
  if (head.tollgate_backup <= FORMAT && head.schema_version <= known_schema_version) return
  throw unprocessable(
    `${archive} was made by Tollgate ${head.version}, whose database is at version ${head.schema_version}; this program knows versions up to ${known_schema_version}. ` +
      'Run that program or a newer one, or restore an older backup.',
  )
}

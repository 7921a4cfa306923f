// The history of the catalogue in the console: versions with their authors, and a version as a draft.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { sessionsByNumber } from '../../../src/access/rows-by-number.ts'
import { type ConsoleParts, FAILURES, operatorCalls } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import {
  type Author,
  listVersions,
  parseAuthor,
  requireVersion,
  versionBefore,
} from '../../../src/catalogue/past.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../../src/http/paging.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { TimeFields, time } from '../../../src/http/views.ts'
import type { Db } from '../../../src/store/db.ts'
import { historyOf, listHistory } from '../history.ts'
import { ChangedPartView, partView } from './changes.ts'

const ByView = Type.Object(
  {
    kind: OneOf(['session', 'command', 'file']),
    session_id: Nullable(Type.Integer()),
    address: Nullable(
      Type.String({ description: 'network address of the session; null after it has ended' }),
    ),
    command: Nullable(Type.String({ description: '`prices import`' })),
  },
  { description: 'a session of the console, a command, or an editor on the file' },
)

const VERSION = { version: Type.Integer(), ...TimeFields('made'), by: ByView }

const VersionsView = Type.Object({
  versions: Type.Array(
    Type.Object({
      ...VERSION,
      in_force: Type.Boolean(),
      changed: Nullable(Type.Array(ChangedPartView)),
    }),
  ),
  ...PAGE_FIELDS,
})

const VersionView = Type.Object({
  ...VERSION,
  text: Type.String({ description: 'with marks in place of keys' }),
  in_force: Type.Boolean(),
  before: Nullable(Type.Object({ version: Type.Integer(), text: Type.String() })),
  draft: Type.Object({
    text: Type.String({ description: 'the text with marks of the current keys of the file' }),
    other_keys: Type.Array(Type.String({ description: '`providers[0].api_keys[0]`' }), {
      description: 'paths where the current key is not the one of that version',
    }),
  }),
})

const VersionsQuery = Closed({
  part: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'only versions that changed this model, provider or setting',
    }),
  ),
  ...PAGE_PARAMETERS,
})
const VersionParams = Closed({ version: WholeNumber({ minimum: 1 }, 'the number of a version') })

/** Routes of the catalogue's history, for the operator. */
export function catalogueHistoryRoutes(gateway: ConsoleParts & Pick<Gateway, 'operations'>) {
  const { db } = gateway
  const { configuration } = gateway.operations

  return new Elysia({ name: 'console-catalogue-history' })
    .use(operatorCalls(gateway))
    .get(
      '/console/api/catalogue/versions',
      async ({ query }) => {
        const { part, ...page_query } = query
        const page =
          part === undefined ? await listHistory(db, pageOf(page_query)) : await historyOf(db, part)
        const newest = await newestVersion(db)
        const savers = await saversOf(db, page.rows)
        return {
          versions: page.rows.map(({ id, made_at_ms, made_by, changed }) => ({
            ...versionFields({ version: id, made_at_ms, made_by }, savers),
            in_force: id === newest?.id,
            changed: changed?.map(partView) ?? null,
          })),
          ...pageFields(page),
        }
      },
      { query: VersionsQuery, response: { 200: VersionsView, ...FAILURES } },
    )
    .get(
      '/console/api/catalogue/versions/:version',
      async ({ params: { version } }) => {
        const own = await requireVersion(db, version)
        const before = await versionBefore(db, version)
        const newest = await newestVersion(db)
        const { text, other_keys } = await configuration.revive(own.text)
        return {
          ...versionFields(own, await saversOf(db, [own])),
          text: own.text,
          in_force: newest?.id === version,
          before: before ? { version: before.version, text: before.text } : null,
          draft: { text, other_keys: [...other_keys] },
        }
      },
      { params: VersionParams, response: { 200: VersionView, ...FAILURES } },
    )
}

const newestVersion = async (db: Db) => (await listVersions(db, { limit: 1 })).rows.at(0)

type Savers = Awaited<ReturnType<typeof saversOf>>

/** Returns the sessions that saved the versions, by id. */
const saversOf = (db: Db, versions: readonly { made_by: Author }[]) =>
  sessionsByNumber(
    db,
    versions.flatMap(({ made_by }) => {
      const { kind, name } = parseAuthor(made_by)
      return kind === 'session' ? [Number(name)] : []
    }),
  )

function versionFields(
  { version, made_at_ms, made_by }: { version: number; made_at_ms: number; made_by: Author },
  savers: Savers,
) {
  return { version, ...time('made', made_at_ms), by: byView(made_by, savers) }
}

function byView(made_by: Author, savers: Savers): Static<typeof ByView> {
  const { kind, name } = parseAuthor(made_by)
  const no_author = { session_id: null, address: null, command: null }
  if (kind === 'command') return { ...no_author, kind, command: name }
  if (kind === 'file') return { ...no_author, kind }
  const session_id = Number(name)
  return { ...no_author, kind, session_id, address: savers.get(session_id)?.address ?? null }
}

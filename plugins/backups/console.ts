// Console routes of backups, for operators: the list, a backup on request, a trial restore, and the download of encrypted archives.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { csvFor, rowFor } from '../../src/app/list/columns.ts'
import { consoleFields } from '../../src/app/list/pages.ts'
import { byOf, FAILURES, operatorCalls } from '../../src/app/surface/console/calls.ts'
import { CsvFile, listCsv, onePart } from '../../src/app/surface/console/list-csv.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { conflict } from '../../src/domain/errors.ts'
import { ZONE_PARAMETER } from '../../src/http/period.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { NullableTimeFields, TimeFields, time } from '../../src/http/views.ts'
import { streamOf } from './archive/encryption.ts'
import { readArchiveName } from './archive/names.ts'
import { archive_columns } from './list.ts'
import type { Archive } from './places/place.ts'
import type { Backups } from './running/backups.ts'
import type { BackupWork, EndedBackupWork } from './running/worker.ts'

const Kind = OneOf(['make', 'verify'])
const Bytes = Type.Integer({ description: 'bytes' })

const ArchiveView = Closed(
  consoleFields<typeof archive_columns, false>({ columns: archive_columns, names_accounts: false }),
)

const WorkView = Closed({
  kind: Kind,
  name: Nullable(Type.String({ description: 'the archive that is verified' })),
  ...TimeFields('since'),
  progress: Nullable(Closed({ files: Type.Integer(), bytes: Bytes, of_bytes: Bytes })),
})

const EndedView = Closed({
  name: Nullable(Type.String()),
  ...TimeFields('ended'),
  failure: Nullable(Type.String({ description: 'why it failed, and what to do' })),
  result: Nullable(Type.String({ description: 'the result' })),
  warnings: Type.Array(Type.String({ description: 'warnings' })),
})

const WorkingView = Closed({
  where: Type.String({ description: 'a folder, or s3://bucket/prefix' }),
  ...NullableTimeFields('next'),
  running: Nullable(WorkView),
  last_made: Nullable(EndedView),
  last_verified: Nullable(EndedView),
})
const BackupsView = Closed({ backups: Type.Array(ArchiveView) })
const NameParams = Type.Object({ name: Type.String({ maxLength: 200 }) })
const ArchiveFile = Type.Unsafe<Response>(
  Type.Any({ description: 'the archive, encrypted', contentMediaType: 'application/octet-stream' }),
)

const CSV_ORDER = ['name', 'made', 'bytes', 'encrypted', 'scheduled']

function archiveView(archive: Archive): Static<typeof ArchiveView> {
  const row: object = rowFor(archive_columns, 'operator', archive)
  return row as Static<typeof ArchiveView>
}

/**
 * `GET /console/api/backups` lists the archives, `GET …/work` returns the running work, `POST /console/api/backups` makes an archive,
 * `POST …/:name/verify` verifies it, `GET …/:name` downloads it.
 */
export const backupRoutes = (gateway: Gateway, backups: Backups) =>
  new Elysia({ name: 'console-backups-all' }).use(archives(gateway, backups)).use(downloads(gateway, backups))

function archives(gateway: Gateway, backups: Backups) {
  return new Elysia({ name: 'console-backups' })
    .use(operatorCalls(gateway))
    .get('/console/api/backups', async () => ({ backups: (await backups.list()).map(archiveView) }), {
      response: { 200: BackupsView, ...FAILURES },
    })
    .get(
      '/console/api/backups.csv',
      async ({ viewer, query: { zone } }) => {
        const parts = onePart(await backups.list())
        return listCsv(gateway, viewer, {
          list: 'backups',
          columns: csvFor(archive_columns, viewer.side, CSV_ORDER),
          parts,
          zone,
        })
      },
      { query: Closed(ZONE_PARAMETER), response: { 200: CsvFile, ...FAILURES } },
    )
    .get('/console/api/backups/work', () => workingView(backups), {
      response: { 200: WorkingView, ...FAILURES },
    })
    .post(
      '/console/api/backups',
      ({ viewer, origin }) => {
        backups.make(byOf(gateway, { viewer, origin }))
        return workingView(backups)
      },
      { response: { 200: WorkingView, ...FAILURES } },
    )
    .post(
      '/console/api/backups/:name/verify',
      ({ viewer, origin, params }) => {
        backups.verify(params.name, byOf(gateway, { viewer, origin }))
        return workingView(backups)
      },
      { params: NameParams, response: { 200: WorkingView, ...FAILURES } },
    )
}

/** An archive holds all data, so a download needs the right to operate, not only to read. */
const downloads = (gateway: Gateway, backups: Backups) =>
  new Elysia({ name: 'console-backups: downloads' })
    .use(operatorCalls(gateway, { reads: 'operate' }))
    .get('/console/api/backups/:name', ({ params }) => download(backups, params.name), {
      params: NameParams,
      response: { 200: ArchiveFile, ...FAILURES },
    })

/** Refuses unencrypted archives: they hold the providers' keys, which the console never shows. */
async function download(backups: Backups, name: string): Promise<Response> {
  if (readArchiveName(name)?.is_encrypted === false)
    throw conflict(
      'This backup is not encrypted and contains the keys of the providers. Copy it on the server. With `passphrase` or `recipient` in [backup] new ones are encrypted and can be downloaded.',
    )
  return new Response(streamOf(await backups.open(name)), {
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

const workView = ({ kind, name, since_ms, progress }: BackupWork): Static<typeof WorkView> => ({
  kind,
  name: name ?? null,
  ...time('since', since_ms),
  progress: progress ? { ...progress } : null,
})

const endedView = (ended: EndedBackupWork): Static<typeof EndedView> => ({
  name: ended.name ?? null,
  ...time('ended', ended.ended_at_ms),
  failure: ended.failure ?? null,
  result: ended.result ?? null,
  warnings: [...ended.warnings],
})

function workingView({ where, next_at_ms, running, last }: Backups): Static<typeof WorkingView> {
  return {
    where,
    ...time('next', next_at_ms ?? null),
    running: running ? workView(running) : null,
    last_made: last.make ? endedView(last.make) : null,
    last_verified: last.verify ? endedView(last.verify) : null,
  }
}

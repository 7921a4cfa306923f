// What `migrate` says at its end: what was copied, and what to write into the catalogue.
import { join, resolve } from 'node:path'
import type { Moved } from '../server/moving/rows.ts'
import type { Context } from './context.ts'
import type { Server } from './migrate-target.ts'

const MAX_SHOWN = 20

const viewOf = ({ rows, changed, totals }: Moved) => ({
  accounts: totals.accounts,
  calls: totals.calls,
  rows: countOf(rows),
  changed,
  clean: true,
})

const countOf = (rows: Moved['rows']): number => Object.values(rows).reduce((sum, count) => sum + count, 0)

const summaryOf = (moved: Moved): string =>
  `accounts ${moved.totals.accounts}, calls ${moved.totals.calls}, rows ${countOf(moved.rows)}; every row read back and compared, audit clean on both sides.`

export function answerToServer(
  { folder, answer, warn }: Context,
  { setting, url }: Server,
  moved: Moved,
): void {
  warnOfChanges(moved, warn)
  const { host, pathname } = new URL(url)
  const where = `postgres://${host}${pathname}`
  answer(
    { to: where, database: setting, ...viewOf(moved) },
    [
      `${where} has everything of ${folder.database_path}:`,
      summaryOf(moved),
      '',
      `Write this into ${folder.catalogue_path}, then start the gateway${setting.startsWith('env:') ? ` with ${setting.slice('env:'.length)} set to that address` : ''}:`,
      '',
      '[storage]',
      `database = ${JSON.stringify(setting)}`,
      '',
      `${folder.database_path} stays as it is. Keep it until you no longer need it.`,
    ].join('\n'),
  )
}

export function answerToFolder({ folder, answer }: Context, dir: string, moved: Moved): void {
  const path = join(dir, 'tollgate.db')
  const is_own = resolve(dir) === resolve(folder.dir)
  const next = is_own
    ? `Remove \`database\` from [storage] in ${folder.catalogue_path}, then start the gateway.`
    : `Copy the rest of ${folder.dir} there: tollgate.toml, without \`database\` in [storage], images/, files/, answers/, responses/, plugins/, and settlements.journal if there is one. Then start the gateway with --data ${dir}.`
  answer(
    { to: path, ...viewOf(moved) },
    [
      `${path} has everything of the PostgreSQL database:`,
      summaryOf(moved),
      '',
      next,
      'The PostgreSQL database stays as it is. Keep it until you no longer need it.',
    ].join('\n'),
  )
}

function warnOfChanges({ changed }: Moved, warn: Context['warn']): void {
  if (changed.length === 0) return
  const more = changed.length > MAX_SHOWN ? `, and ${changed.length - MAX_SHOWN} more` : ''
  warn(
    `PostgreSQL stores no NUL character. It has � in place of each in: ${changed.slice(0, MAX_SHOWN).join(', ')}${more}.`,
  )
}

// The output of `migrate`: the copied rows and files, and the lines for the catalogue.
import { join, resolve } from 'node:path'
import type { Context } from '../../src/app/command-line/context.ts'
import type { Moved } from '../../src/app/process/moving/rows.ts'
import { counted } from '../../src/utilities/counted.ts'
import { sizeText } from '../../src/utilities/size-text.ts'
import type { MovedAll } from './moves.ts'
import type { Server } from './target.ts'

const MAX_LISTED = 20
const FOLDERS = 'images/, files/, answers/, responses/'

type MovedFiles = NonNullable<MovedAll['files']>

const viewOf = ({ rows: { rows, changed, totals }, files }: MovedAll) => ({
  accounts: totals.accounts,
  calls: totals.calls,
  rows: countOf(rows),
  changed,
  clean: true,
  ...(files && { files: viewOfFiles(files) }),
})

const viewOfFiles = ({ move, files, bytes, copied, missing, damaged }: MovedFiles) => ({
  to: move.to.address,
  files,
  bytes,
  copied,
  missing: missing.map(({ path }) => path),
  damaged,
})

const countOf = (rows: Moved['rows']): number => Object.values(rows).reduce((sum, count) => sum + count, 0)

const summaryOf = ({ totals, rows }: Moved): string =>
  `accounts ${totals.accounts}, calls ${totals.calls}, rows ${countOf(rows)}; every row read back and compared, audit clean on both sides.`

const summaryOfFiles = ({ move, files, bytes, copied }: MovedFiles): string[] => [
  `${move.to.address} has the files of ${move.from.address}:`,
  `files ${files}, ${sizeText(bytes)}; ${copied} copied now.`,
]

export function answerToServer(context: Context, { setting, url }: Server, moved: MovedAll): void {
  const { folder, answer } = context
  const { files } = moved
  warnOfProblems(context, moved)
  const { host, pathname } = new URL(url)
  const where = `postgres://${host}${pathname}`
  const variables = [
    ...(setting.startsWith('env:') ? [`${setting.slice('env:'.length)} set to that address`] : []),
    ...keysOf(files),
  ]
  answer(
    { to: where, database: setting, ...viewOf(moved) },
    [
      `${where} has everything of ${folder.database_path}:`,
      summaryOf(moved.rows),
      ...(files ? summaryOfFiles(files) : []),
      '',
      `Write this into ${folder.catalogue_path}, then start the gateway${variables.length > 0 ? ` with ${variables.join(', and ')}` : ''}:`,
      '',
      '[storage]',
      `database = ${JSON.stringify(setting)}`,
      ...(files?.move.lines ?? []),
      '',
      `${folder.database_path} stays as it is${files ? `, and so do ${FOLDERS}` : ''}. Keep ${files ? 'them until you no longer need them' : 'it until you no longer need it'}.`,
    ].join('\n'),
  )
}

export function answerToFolder(context: Context, dir: string, moved: MovedAll): void {
  const { folder, answer } = context
  const { files, catalogue } = moved
  warnOfProblems(context, moved)
  const path = join(dir, 'tollgate.db')
  const is_same_folder = resolve(dir) === resolve(folder.dir)
  const lines = files ? '`database`, `files` and the lines of the bucket' : '`database`'
  const next = is_same_folder
    ? `Remove ${lines} from [storage] in ${folder.catalogue_path}, then start the gateway.`
    : `Copy the rest of ${folder.dir} there: ${catalogue ? '' : `tollgate.toml, without ${lines} in [storage], `}${files ? '' : `${FOLDERS}, `}plugins/, and settlements.journal if there is one. Then start the gateway with --data ${dir}.`
  answer(
    { to: path, ...viewOf(moved), catalogue: catalogue ?? null },
    [
      `${path} has everything of the PostgreSQL database:`,
      summaryOf(moved.rows),
      ...(files ? summaryOfFiles(files) : []),
      '',
      ...(catalogue ? [CATALOGUE_WORDS[catalogue](join(dir, 'tollgate.toml'))] : []),
      next,
      `The PostgreSQL database ${files ? 'and the bucket stay as they are. Keep them until you no longer need them' : 'stays as it is. Keep it until you no longer need it'}.`,
    ].join('\n'),
  )
}

const CATALOGUE_WORDS = {
  written: (path: string) => `${path} has the catalogue that was in the database.`,
  'to be written': (path: string) =>
    `The catalogue is in the database: write it into ${path} first. \`tollgate config show\` prints it.`,
} as const

export function answerFiles(context: Context, files: MovedFiles & { is_complete: boolean }): void {
  const { answer } = context
  const { is_complete } = files
  if (is_complete) warnOfMissing(context, files)
  warnOfDamaged(context, files)
  answer(
    { ...viewOfFiles(files), complete: is_complete },
    [...summaryOfFiles(files), '', ...nextSteps(context, files)].join('\n'),
  )
}

function nextSteps({ folder }: Context, files: MovedFiles & { is_complete: boolean }): string[] {
  const { move, is_complete } = files
  const { from, lines } = move
  if (!is_complete)
    return [
      `A gateway still stores files in ${from.address}. Stop it and run the same command again: it copies only new files.`,
    ]
  if (lines.length === 0)
    return [
      `Remove \`files\` and the lines of the bucket from [storage] in ${folder.catalogue_path}, then start the gateway.`,
      'The bucket stays as it is. Keep it until you no longer need it.',
    ]
  return [
    `Write this into ${folder.catalogue_path}, then start the gateway with ${keysOf(files).join('')}:`,
    '',
    '[storage]',
    ...lines,
    '',
    `${FOLDERS} in ${folder.dir} stay as they are. Keep them until you no longer need them.`,
  ]
}

const keysOf = (files: MovedFiles | undefined): string[] =>
  files && files.move.lines.length > 0 ? ['AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY set as now'] : []

function warnOfProblems(context: Context, { rows: { changed }, files }: MovedAll): void {
  if (changed.length > 0)
    context.warn(`PostgreSQL stores no NUL character. It has � in place of each in: ${listSome(changed)}.`)
  if (!files) return
  warnOfMissing(context, files)
  warnOfDamaged(context, files)
}

/** Warns now, since a second run skips files already copied. */
function warnOfDamaged({ warn }: Context, { damaged, move }: MovedFiles): void {
  if (damaged.length > 0)
    warn(
      `Damaged images in ${move.from.address}, copied as they are: ${listSome(damaged)}. Restore them from a backup; until then their readers get image_damaged.`,
    )
}

function warnOfMissing({ warn }: Context, { missing, move }: MovedFiles): void {
  if (missing.length === 0) return
  const paths = missing.map(({ path }) => path)
  warn(
    `${counted(missing.length, 'file')} that rows name ${missing.length === 1 ? 'is' : 'are'} not in ${move.from.address}, and could not be copied. Images without their file are shown as missing: ${listSome(paths)}.`,
  )
}

const listSome = (all: readonly string[]): string =>
  all.slice(0, MAX_LISTED).join(', ') +
  (all.length > MAX_LISTED ? `, and ${all.length - MAX_LISTED} more` : '')

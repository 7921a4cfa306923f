// The architecture as a test: imports go one way, types included; no cycles; files and functions stay short; no silent catch.
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '..')
const FILES = [...new Glob('{src,plugins}/**/*.{ts,tsx}').scanSync(ROOT)].sort()
const MAX_FILE_LINES = 300
const MAX_FUNCTION_LINES = 70

/** From the top down: a folder imports from the rows below its own, and from itself. */
const LAYERS: readonly (readonly string[])[] = [
  ['plugins/'],
  ['src/app/', 'src/build/'],
  ['src/calls/'],
  ['src/idempotency/', 'src/responses/', 'src/library/'],
  ['src/access/', 'src/money/', 'src/upstream/', 'src/media/'],
  ['src/http/', 'src/protocols/', 'src/catalogue/'],
  ['src/observe/', 'src/store/'],
  ['src/domain/', 'src/plugin-api.ts', 'src/payment-api.ts'],
  ['src/utilities/'],
]

/** Further allowed imports: between neighbours, and of files without code. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'src/library/': ['src/media/'],
  'src/catalogue/': ['data/tollgate.example.toml'],
  'src/app/': ['src/build/', 'package.json'],
  'src/build/': ['src/app/', 'plugins/console/bundle.ts', 'plugins/docs/scalar.ts', 'package.json'],
  // Its search finds calls and refused requests; its pages know the routes of all plugins by their types.
  'plugins/console/': ['package.json', 'plugins/calls/index.ts', 'plugins/refusals/index.ts'],
  // The Overview has open alerts in the same answer as its figures; the command lists calls.
  'plugins/usage/': ['plugins/alerts/index.ts', 'plugins/calls/index.ts'],
  // Its answer to an account has the rest of the plan's allowance.
  'plugins/billing/': ['plugins/plans/index.ts'],
  // Its check of the gateway's address is one of the metrics' address, too.
  'plugins/doctor/': ['plugins/metrics/index.ts'],
  // Metrics, spans and the System page show the version. Metrics also have the health of models.
  'plugins/metrics/': ['package.json', 'plugins/health/index.ts'],
  'plugins/system/': ['package.json'],
  // Refused requests stand among calls in its lists. Support refunds within a limit.
  'plugins/calls/': ['plugins/refusals/index.ts', 'plugins/staff/index.ts'],
  // The first call and refused requests stand where the first call is waited for.
  'plugins/first-steps/': ['plugins/calls/index.ts', 'plugins/refusals/index.ts'],
  // The review of a draft has its prices, margins and last week's calls at them; so has the page of a model. Models and providers have their health.
  'plugins/catalogue/': ['plugins/health/index.ts', 'plugins/prices/index.ts'],
  // It prints the current version and the new one.
  'plugins/upgrade/': ['package.json'],
  // An archive records the version that made it.
  // A restore cancels queued mails, since their links have ended.
  'plugins/backups/': ['package.json', 'plugins/mail/index.ts'],
  // It lists the backups that still contain erased data.
  'plugins/personal-data/': ['package.json', 'plugins/backups/index.ts'],
  // Custom plugins have payment methods; both are written as one file.
  'src/plugin-api.ts': ['src/payment-api.ts'],
  // A plugin can read the gateway's version. The code of payments checks and tries payment methods.
  'plugins/custom-plugins/': ['package.json', 'plugins/payments/index.ts'],
  // The list of models is that of Google's API, too, where [native] allows it.
  'plugins/models/': ['plugins/native/index.ts'],
  // `account show` lists the keys of an account. Support tops up within a limit.
  'plugins/accounts/': ['plugins/keys/index.ts', 'plugins/staff/index.ts'],
  // Accounts with a low balance get a mail by the condition of the alert.
  'plugins/mail/': ['plugins/alerts/index.ts'],
  // Invitations are sent by mail where there is a mail server. Pages know whether support may credit.
  'plugins/sign-in/': ['plugins/mail/index.ts', 'plugins/staff/index.ts'],
  // Invitations of staff are sent by mail, too.
  'plugins/staff/': ['plugins/mail/index.ts'],
  // People who sign up confirm their address by a mail. The welcome credit goes with a payment.
  'plugins/sign-up/': ['plugins/mail/index.ts', 'plugins/payments/index.ts'],
  // Open sign-up includes identity providers, with the same policy and terms.
  'plugins/identity-providers/': ['plugins/sign-up/index.ts'],
  // Against self-referrals, it compares the spellings of a mailbox as sign-up does.
  'plugins/referral/': ['plugins/sign-up/index.ts', 'plugins/payments/index.ts'],
  // It mails an account whose automatic top-up ended. A month of a plan begins with its payment.
  'plugins/payments/': ['plugins/mail/index.ts', 'plugins/plans/index.ts'],
  // It mails an account about changes of its plan.
  'plugins/plans/': ['plugins/mail/index.ts'],
  // Invitations into accounts are mailed.
  'plugins/teams/': ['plugins/mail/index.ts'],
  // LiteLLM bills at its public price list, which prices are imported from, too. Vouchers of new-api go on working.
  'plugins/import/': ['plugins/prices/index.ts', 'plugins/vouchers/index.ts'],
  // The status page has the health of models, now and by day. The home page links to sign-up while it is open.
  'plugins/site/': ['plugins/health/index.ts', 'plugins/sign-up/index.ts'],
  // Failing models, providers and routes raise alerts.
  'plugins/alerts/': ['plugins/health/index.ts'],
}

const ENTRY = 'src/main.ts'

const source = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** True of files that run in browsers: all of them belong to one bundle. */
const isWeb = (file: string): boolean =>
  /^plugins\/[^/]+\/web\//.test(file) || ['plugins/pages.ts', 'plugins/page-parts.ts'].includes(file)

const importsOf = (file: string): string[] =>
  [...source(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)]
    .map(([, path = '']) => relative(ROOT, join(ROOT, dirname(file), path)))
    .filter((path) => existsSync(join(ROOT, path)))

const layerOf = (file: string): number =>
  LAYERS.findIndex((folders) => folders.some((folder) => file.startsWith(folder)))

/** The folder whose files may import one another. Each surface has its own, and so has each protocol. */
function homeOf(file: string): string {
  if (/^plugins\/[^/]+\//.test(file)) return `${file.split('/').slice(0, 2).join('/')}/`
  return LAYERS.flat().find((folder) => file.startsWith(folder)) ?? ''
}

function allowedFor(file: string): readonly string[] {
  if (file === ENTRY) return ['plugins/index.ts', 'src/app/', 'src/catalogue/sections.ts']
  if (isWeb(file)) return ['plugins/', 'src/']
  if (file === 'plugins/index.ts') return ['plugins/', ...LAYERS.slice(1).flat()]
  const home = homeOf(file)
  return [home, ...LAYERS.slice(layerOf(file) + 1).flat(), ...(EXCEPTIONS[home] ?? [])]
}

describe('imports go one way, types included', () => {
  test.each(FILES)('%s', (file) => {
    const allowed = allowedFor(file)
    const wrong = importsOf(file).filter((path) => !allowed.some((prefix) => path.startsWith(prefix)))
    expect(wrong).toEqual([])
  })

  test('every file of src/ belongs to a layer', () => {
    const strays = FILES.filter((file) => layerOf(file) < 0 && file !== ENTRY)
    expect(strays).toEqual([])
  })

  test('no protocol imports another one', () => {
    const protocolIn = (file: string) => /^src\/protocols\/(?!wire\/|canonical\/)([a-z]+)\//.exec(file)?.[1]
    const wrong = FILES.filter(protocolIn).flatMap((file) =>
      importsOf(file)
        .filter((path) => ![undefined, protocolIn(file)].includes(protocolIn(path)))
        .map((path) => `${file} imports ${path}`),
    )
    expect(wrong).toEqual([])
  })

  test('no file imports itself by way of others', () => {
    expect(cyclesOf(FILES, importsOf)).toEqual([])
  })

  test('no capability imports itself by way of others, pages included; the console is the frame of all pages', () => {
    const capabilityOf = (file: string) => /^plugins\/(?!console\/)([^/]+)\//.exec(file)?.[1]
    const files = Map.groupBy(FILES, capabilityOf)
    const importsOfCapability = (name: string) =>
      (files.get(name) ?? [])
        .flatMap(importsOf)
        .flatMap((path) => capabilityOf(path) ?? [])
        .filter((other) => other !== name)
    const names = [...files.keys()].filter((name) => name !== undefined)
    expect(cyclesOf(names, importsOfCapability)).toEqual([])
  })
})

describe('the pages of the console run in browsers', () => {
  /** Imports that remain at run time: all but `import type`. */
  const VALUES = /^(?:import|export)\s+(?!type\b)[^'"]*?['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/gm

  test.each(FILES.filter(isWeb))('%s imports only types from the server', (file) => {
    const values = [...source(file).matchAll(VALUES)].map(([, still = '', lazy = still]) =>
      relative(ROOT, join(ROOT, dirname(file), lazy)),
    )
    expect(values.filter((path) => !isWeb(path))).toEqual([])
  })

  test('no file of the server imports one of them', () => {
    const wrong = FILES.filter((file) => !isWeb(file) && importsOf(file).some(isWeb))
    expect(wrong).toEqual([])
  })
})

/** Each cycle as the path around it. */
function cyclesOf(all: readonly string[], nextOf: (one: string) => readonly string[]): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (one: string, path: readonly string[]): void => {
    const at = path.indexOf(one)
    if (at >= 0) found.push([...path.slice(at), one].join(' → '))
    if (at >= 0 || done.has(one)) return
    for (const next of nextOf(one)) visit(next, [...path, one])
    done.add(one)
  }
  for (const one of all) visit(one, [])
  return found
}

describe('files', () => {
  test.each(FILES)('%s begins with a comment that names it, and has at most 300 lines', (file) => {
    const lines = source(file).split('\n')
    expect(lines[0]).toMatch(/^\/\/ (?!Owns\b)[A-Z`"]/)
    expect(lines.length - 1).toBeLessThanOrEqual(MAX_FILE_LINES)
  })

  test.each(FILES)('%s has no function of more than 70 lines', (file) => {
    const long = functionsOf(file).filter(({ lines }) => lines > MAX_FUNCTION_LINES)
    expect(long).toEqual([])
  })

  test('functions are measured from their first line to their closing brace', () => {
    expect(
      functionsOf('src/http/body.ts').find(({ name }) => name.includes('readBytes'))?.lines,
    ).toBeGreaterThan(3)
  })
})

/** A line that begins a function: a declaration, a method, or an arrow with a body of its own. */
const BEGINS = [
  /\bfunction\b\*? *[\w(]/,
  /=> \{$/,
  /^\s*(?:(?:async|static|get|set|private) )*[\w#]+(?:<.*>)?\(.*\)(?:: .*)? \{$/,
  /^\s*(?:(?:async|static|get|set|private) )*[\w#]+(?:<.*>)?\($/,
]
const NO_FUNCTION = /^\s*(?:\/\/|\*|\/\*|(?:\} )?(?:if|for|while|switch|catch|else)\b)/

/** The functions of a file, by its indentation, which the formatter keeps. */
function functionsOf(file: string): { name: string; lines: number }[] {
  const lines = source(file).split('\n')
  return lines.flatMap((line, start) => {
    if (NO_FUNCTION.test(line) || !BEGINS.some((begins) => begins.test(line))) return []
    const indentation = /^\s*/.exec(line)?.[0] ?? ''
    const next = lines.find(
      (other, at) => at > start && other.startsWith(indentation) && other[indentation.length] !== ' ',
    )
    if (line.endsWith('(') && !/^\s*\).*\{$/.test(next ?? '')) return []
    const end = lines.findIndex(
      (other, at) => at > start && other.startsWith(`${indentation}}`) && !/[{(]$/.test(other),
    )
    return end < 0 ? [] : [{ name: line.trim(), lines: end - start + 1 }]
  })
}

describe('no failure is dropped in silence', () => {
  /** A handler that ignores the failure. */
  const BLIND = /\.catch\(\s*(?:async )?\(\s*\)\s*=>|\bcatch \{/

  test.each(FILES)('%s explains each blind catch in a comment beside it', (file) => {
    const lines = source(file).split('\n')
    const isComment = (line = '') => /\/\/|\*\//.test(line)
    const silent = lines.filter(
      (line, at) => BLIND.test(line) && ![lines[at - 1], line, lines[at + 1]].some(isComment),
    )
    expect(silent).toEqual([])
  })
})

/** The most lines of TypeScript in a folder. A change that raises one says why beside it, in place of the reason before; one that shrinks a folder lowers it. */
const MAX_FOLDER_LINES: Readonly<Record<string, number>> = {
  'src/access/': 6_152,
  // Long cells of a terminal's table are cut before their column is left out.
  'src/app/': 9_899,
  // With the forms of a release: archives, npm, Debian, container, bill of materials, signature.
  'src/build/': 1_994,
  // Limits of the bodies that wait for memory, and of those of unknown length: 2,048 of them took 3 GB.
  'src/calls/': 10_521,
  // A mistake names its model or provider, in place of an index.
  'src/catalogue/': 6_547,
  // Cents are rounded down in one place, not in three.
  'src/domain/': 6_346,
  // At most 64 answers wait for their sender to stop, for the same reason.
  'src/http/': 1_833,
  'src/idempotency/': 1_204,
  'src/library/': 1_390,
  'src/media/': 1_965,
  // Holds are resolved by their call, too.
  'src/money/': 8_127,
  'src/observe/': 666,
  // Each protocol reads, writes, streams, bounds and prices by itself; none imports another.
  // Gemini's signatures behind an address of chat completions.
  'src/protocols/': 20_630,
  'src/responses/': 891,
  // The lock of the serving gateway is taken in one place, not in five.
  'src/store/': 6_896,
  'src/upstream/': 2_081,
  // Names of browsers, for sessions and the audit log.
  'src/utilities/': 490,
  // The forms and dialogs of all pages are parts of few kinds.
  'plugins/console/': 6_685,
  // A source is a gateway’s tables, its configuration, and the reasons for all that has no counterpart.
  'plugins/import/': 8_894,
  // Plans and identity providers have forms in Settings; a form keeps to its own block when the file changes behind it.
  'plugins/': 107_214,
}
/** Tests but for the tools and the strict providers; the last raise: each batch before a power cut settles something, whatever the seed. */
const MAX_TEST_LINES = 186_363

const linesOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + source(file).split('\n').length - 1, 0)

describe('folders', () => {
  test.each(Object.entries(MAX_FOLDER_LINES))('%s has at most %d lines', (folder, max) => {
    expect(linesOf(FILES.filter((file) => file.startsWith(folder)))).toBeLessThanOrEqual(max)
  })

  test('every folder of src has a bound', () => {
    const folders = new Set(FILES.flatMap((file) => /^src\/[^/]+\//.exec(file)?.[0] ?? []))
    expect([...folders].filter((folder) => !(folder in MAX_FOLDER_LINES))).toEqual([])
  })

  test('all tests together stay within their budget of lines', () => {
    const tests = [...new Glob('test/**/*.{ts,tsx}').scanSync(ROOT)]
    expect(linesOf(tests.filter((file) => !/^test\/(?:tools|providers)\//.test(file)))).toBeLessThanOrEqual(
      MAX_TEST_LINES,
    )
  })
})

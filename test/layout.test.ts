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

/** Neighbours that may import each other all the same, and files that are no code. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'src/library/': ['src/media/'],
  'src/catalogue/': ['data/tollgate.example.toml'],
  'src/app/': ['src/build/', 'package.json'],
  'src/build/': ['src/app/', 'plugins/console/bundle.ts', 'plugins/docs/scalar.ts', 'package.json'],
  // Its search finds calls and refused requests; its pages know the routes of all plugins by their types.
  'plugins/console/': ['package.json', 'plugins/calls/index.ts', 'plugins/refusals/index.ts'],
  // The Overview has open alerts in the same answer as its figures; the command lists calls.
  'plugins/usage/': ['plugins/alerts/index.ts', 'plugins/calls/index.ts'],
  // An account is told what is left of its plan.
  'plugins/billing/': ['plugins/plans/index.ts'],
  // Its check of the gateway's address is one of the metrics' address, too.
  'plugins/doctor/': ['plugins/metrics/index.ts'],
  // Metrics, spans and the System page tell the version. Metrics tell what fails, too.
  'plugins/metrics/': ['package.json', 'plugins/health/index.ts'],
  'plugins/system/': ['package.json'],
  // Refused requests stand among calls in its lists. Support refunds within a limit.
  'plugins/calls/': ['plugins/refusals/index.ts', 'plugins/staff/index.ts'],
  // The first call and refused requests stand where the first call is waited for.
  'plugins/first-steps/': ['plugins/calls/index.ts', 'plugins/refusals/index.ts'],
  // The review of a draft has its prices, margins and last week's calls at them; so has the page of a model. Models and providers have their health.
  'plugins/catalogue/': ['plugins/health/index.ts', 'plugins/prices/index.ts'],
  // It says from which version to which one it goes.
  'plugins/upgrade/': ['package.json'],
  // An archive says which version made it.
  // A restored backup sends no mails with its links, which ended.
  'plugins/backups/': ['package.json', 'plugins/mail/index.ts'],
  // It lists the backups that still have what is erased.
  'plugins/personal-data/': ['package.json', 'plugins/backups/index.ts'],
  // Custom plugins have payment methods; both are written as one file.
  'src/plugin-api.ts': ['src/payment-api.ts'],
  // A plugin is told which version runs it. Payment methods are checked and tried as payments know them.
  'plugins/custom-plugins/': ['package.json', 'plugins/payments/index.ts'],
  // The list of models is that of Google's API, too, where [native] allows it.
  'plugins/models/': ['plugins/native/index.ts'],
  // `account show` lists the keys of an account. Support tops up within a limit.
  'plugins/accounts/': ['plugins/keys/index.ts', 'plugins/staff/index.ts'],
  // Accounts with a low balance get a mail by the condition of the alert.
  'plugins/mail/': ['plugins/alerts/index.ts'],
  // Invitations are sent by mail where there is a mail server. Pages are told whether support may credit.
  'plugins/sign-in/': ['plugins/mail/index.ts', 'plugins/staff/index.ts'],
  // So are those of the staff.
  'plugins/staff/': ['plugins/mail/index.ts'],
  // People who sign up confirm their address by a mail. The welcome credit goes with a payment.
  'plugins/sign-up/': ['plugins/mail/index.ts', 'plugins/payments/index.ts'],
  // Where strangers may sign up, they do so by a provider of identities, too, by the same policy and terms.
  'plugins/identity-providers/': ['plugins/sign-up/index.ts'],
  // Nobody refers themselves: spellings of one mailbox are those of sign-up.
  'plugins/referral/': ['plugins/sign-up/index.ts', 'plugins/payments/index.ts'],
  // An account is told that its automatic top-up ended. A month of a plan begins with its payment.
  'plugins/payments/': ['plugins/mail/index.ts', 'plugins/plans/index.ts'],
  // An account is told what becomes of its plan.
  'plugins/plans/': ['plugins/mail/index.ts'],
  // Invitations into accounts are mailed.
  'plugins/teams/': ['plugins/mail/index.ts'],
  // LiteLLM bills at its public price list, which prices are imported from, too. Vouchers of new-api go on working.
  'plugins/import/': ['plugins/prices/index.ts', 'plugins/vouchers/index.ts'],
  // The status page tells how models do, and did by day. The first page leads to signing up while anybody may.
  'plugins/site/': ['plugins/health/index.ts', 'plugins/sign-up/index.ts'],
  // Failing models, providers and routes raise alerts.
  'plugins/alerts/': ['plugins/health/index.ts'],
}

const ENTRY = 'src/main.ts'

const source = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** It runs in browsers, and belongs to one bundle with all others that do. */
const isWeb = (file: string): boolean =>
  /^plugins\/[^/]+\/web\//.test(file) || ['plugins/pages.ts', 'plugins/page-parts.ts'].includes(file)

const importsOf = (file: string): string[] =>
  [...source(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)]
    .map(([, path = '']) => relative(ROOT, join(ROOT, dirname(file), path)))
    .filter((path) => existsSync(join(ROOT, path)))

const layerOf = (file: string): number =>
  LAYERS.findIndex((folders) => folders.some((folder) => file.startsWith(folder)))

/** The folder in which files may import one another. Surfaces are apart from each other, and so are protocols. */
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
  /** What is there at run time: everything but `import type`. */
  const VALUES = /^(?:import|export)\s+(?!type\b)[^'"]*?['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/gm

  test.each(FILES.filter(isWeb))('%s imports only types from the server', (file) => {
    const values = [...source(file).matchAll(VALUES)].map(([, still = '', lazy = still]) =>
      relative(ROOT, join(ROOT, dirname(file), lazy)),
    )
    expect(values.filter((path) => !isWeb(path))).toEqual([])
  })

  test('no file of the server imports one of theirs', () => {
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
  test.each(FILES)('%s says first what it is, in a noun phrase, and has at most 300 lines', (file) => {
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
  /** A handler that does not look at the failure. */
  const BLIND = /\.catch\(\s*(?:async )?\(\s*\)\s*=>|\bcatch \{/

  test.each(FILES)('%s says beside each blind catch what it drops, and why', (file) => {
    const lines = source(file).split('\n')
    const isComment = (line = '') => /\/\/|\*\//.test(line)
    const silent = lines.filter(
      (line, at) => BLIND.test(line) && ![lines[at - 1], line, lines[at + 1]].some(isComment),
    )
    expect(silent).toEqual([])
  })
})

/** The most lines of TypeScript in a folder. A change that raises one says why beside the number; one that shrinks a folder lowers it. */
const MAX_FOLDER_LINES: Readonly<Record<string, number>> = {
  // 100 more since limits by period are rows, of accounts and of a week and five hours, too; so has src/money.
  // 200 more for keys and passwords of other gateways.
  // 300 more for accounts of other gateways, many at once.
  // 250 more for people, who sign in where accounts did.
  // 250 more for what the roles of people may do, and their addresses.
  // 650 more for fresh sign-ins, links by mail, and events of how people sign in.
  // 600 more for teams: invitations, roles, removals, keys and budgets of people, switching between accounts.
  // 50 more for the rule of the last way to sign in. 40 more for invitations that end with the role of who made them.
  // 20 more for starts that leave the link of an invited operator alone.
  // 20 more for the seller and the buyer, whom statements and receipts name.
  // 120 more for the price group of accounts, also of those that other gateways bring.
  // 180 more for suspended accounts: the reason, and what their people may still do.
  'src/access/': 6_178,
  // 100 more for movements of money, which commands of several plugins make. 50 more, as in src/domain and plugins/console, since a gateway may be
  // below a path: the door, the cookies' names, the page's addresses. 50 more for refunds and settings.
  // 60 more for the brand in the head of pages.
  // 40 more for the rights that routes of the console state, and the ways to sign in.
  // 20 more for pages that load something from elsewhere.
  // 60 more for viewers who see some keys of an account, and are looked at again before they write.
  // 10 more for the options of spend limits, which two commands had each for itself.
  // 40 more for changes of rows that commands send with a withdrawal, and payment methods of plugins.
  // 20 more for starts that leave the link of an invited operator alone, and say so.
  // 30 more for the argument of commands that names a person of an account.
  // 10 more for the name of a price group, and whoever is signed in at a public page.
  // 10 more for metrics of plugins, beside the other lists that they fill.
  // 30 more for what goes to others with a payment, and for referrals at sign-up.
  // 20 more for the headers of limits of spending in the reference.
  // 20 more for what sales cost, beside the other lists that plugins fill.
  // 10 more for the address on this machine in the banner.
  // 12 more for findings without a full stop.
  // 130 more for audits from a mark, each day, and of one gateway at a time.
  // 13 more for audits whose process cannot be started, and marks that are forgotten meanwhile.
  // 28 more for callers who leave before an answer; 9 for audits that cannot run, and small damaged databases.
  // 2 more for the end of a start, from which code is compiled as usual.
  'src/app/': 9_874,
  // 1,800 more for the forms of a release: archives, npm, Debian, container, bill of materials, signature.
  // 6 more for the order of what a start uses.
  'src/build/': 1_981,
  // 40 more for what other routes than its own take of a call's cost.
  // With the errors of plans.
  // 40 more for what answers say of limits of spending.
  // 90 more for the order of a text call in a file of its own, and the line of a settled call.
  'src/calls/': 10_474,
  // 50 more: of each setting, whether the console changes it and whether it waits for a restart.
  // 50 more for what models take.
  // 100 more for [brand].
  // 300 more for price groups: their factors, every price times each, and what sells below cost.
  'src/catalogue/': 6_490,
  // 50 more for the per cent of a margin.
  // 100 more for days of time zones, most of them from src/money.
  // 100 more for what an interrupted answer costs, and why a call was free.
  // 160 more for names and colours that follow from a brand.
  // 10 more for the actions of teams.
  // 20 more for actions on passkeys and addresses.
  // 10 more for the kinds of errors that are failures, not refusals.
  // 50 more for currencies.
  // 1 more for the paths of payments.
  // 10 more for amounts without their currency.
  // 40 more for price groups.
  // 10 more for actions of plans.
  // 10 more for the keys of movements.
  // 6 more for the actions of automatic top-up.
  // 1 more for customers of erased accounts.
  // 13 more for the classes of pairs of letters in a fifth of the steps: 4 ms of each start.
  'src/domain/': 6_341,
  // 30 more for JSON that routes read by themselves, from src/app.
  'src/http/': 1_830,
  // 1 more for the order of two looks.
  'src/idempotency/': 1_204,
  'src/library/': 1_391,
  'src/media/': 1_965,
  // 200 more for debts that accounts bring from other gateways, 200 for refunds.
  // 150 more for what support may credit.
  // 30 more for the budgets of people.
  // 220 more for rows with a state, which change in the transaction of a movement, and shares of top-ups.
  // With the rules of plans: calls that take nothing from a balance.
  // 150 more for the sums of covered calls, and what is left of limits.
  // 60 more for the last seven days of a zone in lists.
  // 20 more for fees of plans by account and time.
  // 30 more for purchases that go with the top-up that pays for them.
  // 410 more for audits from a mark: what it keeps, what came after it, and the sums of both.
  // 511 more for batches on PostgreSQL that are decided by known rows: these, what the server compares, and what becomes of both.
  'src/money/': 8_125,
  // 20 more for metrics that plugins add.
  // 60 more for lines that are written as text, which every call has.
  'src/observe/': 672,
  // 70 more for looking at whole answers without copies of them.
  'src/protocols/': 20_370,
  'src/responses/': 894,
  // 100 more for the tables of imports, 60 for those of people.
  // 40 more for proofs of sessions and purposes of links, 40 for identities.
  // 20 more for invitations into accounts, and whose keys are.
  // 40 more for passkeys.
  // 150 more for rows with a state and their history.
  // 10 more for the tables of vouchers.
  // 10 more for the keys of orders.
  // 10 more for the price group of accounts.
  // 10 more for the tables of referrals.
  // 20 more for the reasons of suspended accounts.
  // 50 more for the oldest snapshot of a server.
  // 50 more for the mark of the last audit.
  // 4 more for snapshots of prepared transactions, slots and standbys; 33 for small databases that cannot be read; 12 for lists of days.
  // 43 more for statements that are sent as one.
  // 3 more for the placeholder that 48 files of queries made, each for itself.
  // 20 more for writes that ask whether the database's files are in their place.
  // 3 more for pages of a damaged file that nothing uses.
  'src/store/': 6_868,
  'src/upstream/': 2_076,
  // 5 more for values that may be there already.
  'src/utilities/': 458,
  // 100 more for the time zone of pages, chosen in Settings; 80 for points of charts that lead to their calls, and total rows.
  // 80 more for the brand on pages and in samples.
  // 120 more for lists that the server pages, drawn at one place, and for a console that is turned off.
  // 90 more for requests that wait until the viewer confirms that it is them.
  // 30 more for parts of a page that wait for each other.
  // 100 more for pages, buttons and links by right, and who is signed in.
  // 30 more for an address's input and the bar of filters, which nine and three pages had each for itself.
  // 20 more for pages of what the operator has set up.
  // 40 more for the filter by month, which two lists have; 20 more for the link to the account of a row, which three have.
  // 5 more: its routes are loaded in turns.
  // 30 more for the filter by option and the words of a filter that finds nothing, which nine lists had each for itself.
  'plugins/console/': 6_595,
  // 2,600 more: the import itself, its commands, report and history.
  // 4,500 more: a source is a gateway's tables, its configuration, and the reasons for all that has no counterpart.
  'plugins/import/': 8_914,
  // 8,100 more for the import from other gateways and for upgrades.
  // 1,300 more for one-api and new-api as sources of it, 100 for prices by mapped names and what else their programs do otherwise.
  // 600 more for costs and margins where prices are set.
  // 1,000 more for causes of failed calls and time zones.
  // 400 more for running balances, and for the seller and the buyer of statements.
  // 300 more for forms of settings and rate limits, and their command.
  // 1,000 more for refunds, and for new calls that announce themselves.
  // 700 more for models: each kind in one form, costs and margins beside prices, a list that is searched and sorted.
  // 600 more for outages: their definition, the last answers of all gateways, and what is said of them.
  // 150 more for the import of prices in the console, and for refunds that fail halfway.
  // 2,500 more for the brand, the public pages and incidents.
  // 2,800 more for mail: queue, sending, templates, notices, unsubscribing, list and test.
  // 1,000 more for prices by per cent, on a page and as a command.
  // 150 more for the neighbours of a rotated key, prices of cache reads, and which calls a provider's figures count.
  // 740 more for commands that add and delete models and providers and rename these, and for files of lists that are of one moment.
  // 2,400 more for how people sign in themselves: links by mail, passkeys, one's own settings, fresh sign-ins.
  // 4,300 more for the staff: roles, credits of support, commands and pages.
  // 2,300 more for sign-up: the form, challenges, limits, invitations, terms, lists.
  // 1,200 more for teams: routes, commands and pages.
  // 1,000 more for passkeys.
  // 100 more for the spend limits of people.
  // 250 more for the terms of new people, and what Get started knows of keys and calls.
  // 100 more for those who come back to the staff, and for links of the disabled.
  // 2,200 more for orders: what payments give, what becomes of them, refunds.
  // 200 more for providers that fail, tenants of Microsoft, domains at every sign-in, invitations that are looked at first.
  // 70 more for the person of a new key.
  // 1,300 more for bank transfers, payment methods of custom plugins, and commands of orders.
  // 1,500 more for vouchers: codes, batches, redeeming, limits of guesses, pages and commands.
  // 2,400 more for payments at the console: routes, reports, pages.
  // 1,600 more for card payments by Stripe, and saved cards.
  // 850 more for price groups: their page and dialog, an account's, reports and previews by group, the doctor's check.
  // 1,150 more for plans: months, renewals, console and commands.
  // 1,150 more for the pages of payments.
  // 900 more for referrals: links, shares, what refunds take of them, pages and commands.
  // 300 more for faults of money and rights: silent payment methods, days of grace, what a restore leaves.
  // 600 more for what is told of plans: what paid for a call, mails, metrics, the report.
  // 550 more for the pages of plans: limits as bars, buying at the price that was shown, revenue by plan.
  // 1,350 more for automatic top-up: its setting, orders, charges that are found again, command and page.
  // 220 more for the saved card on the page of payments.
  // 150 more for faults of money: late charges of cards, modes of payment methods, how often pages ask them.
  // 260 more for commands: images and files of accounts, a test of alerts.
  // 170 more for the welcome credit, and what was given away with payments.
  // 30 more for refused webhooks, of which anybody can cause so many.
  // 400 more for plans and payment fees in figures, revenue by price group, what a refund takes, and links from transactions.
  // 270 more for suspended accounts: the notice of their people, what the staff see and decide, plans and automatic top-ups that wait.
  // 5 more: its routes are loaded in turns.
  // 250 more for limits of payments by currency.
  // 1,450 more for plans by payment: orders, charges of saved cards, refunds that end plans, mails, metrics, pages.
  // 50 more for payments of plans whose account is suspended or whose month is gone, and refunds of plans in debt.
  // 40 more for the forms of an order, files of their own; 35 for the welcome credit on an order's page.
  // 280 more for refunds by command that say what they do first, and the card of a plan by command.
  // 15 more for the page Plan, which waits for the saved card.
  // 145 more for customers of erased accounts at Stripe.
  // 5 more for alerts of checks that are of an account.
  // 15 more for charges of plans that were cancelled meanwhile.
  // 65 more for the check and the metric of the oldest snapshot.
  // 90 more for the tax of charges of saved cards.
  // 60 more for the doctor’s check of the books.
  // 18 more for the time at which Stripe was asked for a customer again.
  'plugins/': 107_318,
}
/** Tests but for the tools and the strict providers. */
// 9,000 more for the forms of a release, and for databases of other gateways: each of their columns has its odd values.
// 800 more for the catalogue that new-api becomes, a large one, and a whole release that npx installs.
// 800 more for margins as tables, and a walk for each kind of model.
// 1,200 more for interrupted answers on every surface, and for outages.
// 1,100 more for refunds: step tables, races, pages and commands; those that fail halfway, and their count over two gateways.
// 700 more for outages as tables and played, on both engines.
// 300 more for the import of prices in the console, secrets in forms, and what would lock an operator out.
// 900 more for the brand, the public pages and incidents.
// 1,600 more for mail: against a real mail server.
// 1,100 more for commands that change models and providers, files of lists under writes, limits set within their period, days of reports, and an
// outage over several gateways.
// 100 more for answers that stay in view after another choice, and for a console that is turned off.
// 400 more for faults that reviews found: balances of files between two gateways, files reloaded over another save, links of figures.
// 1,000 more for prices by per cent, and for faults on pages of a reseller.
// 1,600 more for sign-in by links and passkeys: attacks, races, walks.
// 2,600 more for the staff: routes by role, credits at once, roles that change in the middle of a session.
// 900 more for sign-up: its flow, and attacks on it.
// 800 more for attacks on it: floods, challenges, links, forms.
// 1,100 more for teams: what members see, invitations, removals, switching, and attacks on each.
// 600 more for passkeys: a device in software, and the browser's own.
// 300 more for the spend limits of people.
// 150 more for people in several accounts, some suspended or closed: each proof, and the password's end.
// 200 more for the terms of people who join a team or set their first password.
// 100 more for the rule of the last way to sign in, and for browsers that write into what they keep of a sign-in at a provider.
// 60 more for settings that are lists of named tables.
// 480 more for a team walked in a browser, its commands, and spend limits of people on PostgreSQL.
// 60 more for what an erased account, a mail of a team and support are answered.
// 30 more for failures that are no wrong guesses.
// 750 more for the same of the plugins: providers that fail, tenants, domains, invitations; and links of starts.
// 900 more for movements that change the state of rows: tables, races and crashes on both engines.
// 240 more for the person of a new key: in the browser, by command, and who cannot be chosen.
// 100 more for rows with states in the simulation.
// 1,600 more for bank transfers, payment methods of custom plugins with EPay, and commands of orders.
// 800 more for vouchers: codes, races, guesses, refusals, commands.
// 1,200 more for payments at the console: routes, reports, pages, a walk.
// 1,600 more for card payments: every state of Stripe, every forged webhook, saved cards.
// 900 more for price groups: factors and refusals as tables, calls of every kind, pages and commands, on both engines.
// 1,250 more for plans: subscriptions, a year of them, what callers see.
// 2,700 more for orders: what follows from a provider's word as tables, deaths at every step, races, forged webhooks, checks, on both engines.
// 420 more for referrals: payments, refunds, disputes, sign-ups.
// 150 more for money walked in a browser: a stranger, vouchers, referrals, disputes, the closed month.
// 700 more for what is told of plans: what paid for a call, what is left of limits, mails, metrics.
// 180 more for faults of money and rights.
// 280 more for plans walked in a browser, prices that hold, and revenue by plan.
// 750 more for automatic top-up: kills at every step, races, months, cards that are refused, on both engines.
// 320 more for commands of images, files and alerts, and the week of a zone.
// 430 more for the welcome credit, from the promise to a refund.
// 200 more for races of plans, and for payments whose method is gone, changed or asked too often.
// 360 more for plans and payment fees in figures.
// 530 more for suspended accounts: every route by role, sessions and keys of before, the debt that is paid, and a walk.
// 30 more for what a newcomer found.
// 150 more for limits of payments by currency.
// 1,150 more for plans by payment: too late, refunded, disputed, declined, killed at every step, on both engines; a walk.
// 320 more for payments of plans that meet suspensions, disputes and other months, raced and killed.
// 30 more for answers that are settled between two looks, and for looks at the reason of a refusal.
// 30 more for alerts that are raised before a page is looked at, and the names of what moved.
// 200 more for refunds that are asked about, the card of a plan and automatic top-up by command.
// 25 more for a request that is held back in several files, and a server that stands still.
// 280 more for customers of erased accounts: outages, kills, charges under way.
// 50 more for alerts of checks that are of an account, and alerts that a test alone sends.
// 1,370 more for the year of plans with saved cards and its arithmetic, charges of cancelled plans, races for plans, plans at the console, and metrics.
// 570 more for what is read and changed under the lock of an account on PostgreSQL, and the oldest snapshot.
// 210 more for the tax of charges: lost answers, addresses, refunds.
// 105 more for the line of a settled call, whatever its names.
// 15 more for mails that a test sends at once.
// 670 more for audits from a mark: random ledgers with damage on both engines, marks that fit no longer, the audits of a start.
// 60 more for charges that are found after their order was cancelled, and for Stripe Tax that was set up later.
// 22 more for a form that comes with its fields, and for a database that files of one process share.
// 540 more for callers who leave before an answer, on every surface; for what keeps snapshots beside sessions, on real servers; for plans that are
// told as begun, and cancelled renewals.
// 75 more for looks at both widths, and the collection of memory of the tests' own processes.
// 122 more for starts over damaged databases.
// 11 more for the order of the executable's bytecode, and these reasons.
// 90 more for customers at Stripe whose number a kill lost.
// 540 more for batches that are decided by known rows: a table of what others change, a simulation, and connections that are lost.
// 15 more for a file that nobody asks about.
// 85 more for the sums that lists of calls read on PostgreSQL.
// 50 more for customers, pages and command lines that are looked at again.
// 133 more for what others write meanwhile without a lock of the account, and for numbers of holds that are another's by now.
// 38 more for rows that have room on their page, a midnight that clocks skip, and for a commit of which nothing is known on a standby that may only be read, and these reasons.
const MAX_TEST_LINES = 185_713

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

  test('tests have at most so many lines', () => {
    const tests = [...new Glob('test/**/*.{ts,tsx}').scanSync(ROOT)]
    expect(linesOf(tests.filter((file) => !/^test\/(?:tools|providers)\//.test(file)))).toBeLessThanOrEqual(
      MAX_TEST_LINES,
    )
  })
})

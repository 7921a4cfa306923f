// The rule of transactions on several gateways: one that decides by what it reads takes a lock first; this list says why others need none.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '../..')
const FILES = [...new Glob('{src,plugins}/**/*.ts').scanSync(ROOT)].sort()

const ADDS = 'it only adds rows, whatever exists'
const SEES = 'its statements return what they changed, and it decides by that'
const DELETES = 'it deletes or changes by a condition, and nothing depends on the number of rows'
const CALLS = 'it wraps work that locks'
const ALONE = 'no other process has the database'

/** Transactions without a lock, by the function that begins them, or by the only function that they call. */
const NEED_NONE: Readonly<Record<string, string>> = {
  // Wrappers: the work that is passed to them locks.
  changed: CALLS,
  ensurePayingKey: CALLS,
  runSignIn: CALLS,
  accountRoutes: CALLS,
  addAccountChange: CALLS,
  addAdd: CALLS,
  applySteps: CALLS,
  change: CALLS,
  invitationRoutes: CALLS,
  // The audit log. Changes by an account's own people, which are counted, come after its lock.
  recordAction: ADDS,
  openIncident: ADDS,
  // Sessions.
  endSession: SEES,
  signOut: SEES,
  endSessions: SEES,
  sweepSessions: DELETES,
  forgetSessions: ALONE,
  endLinks: ALONE,
  // Identity providers: a logout token ends what it names.
  endByToken: SEES,
  // Images and files.
  beginGenerations: ADDS,
  writeRows: SEES,
  removeFile: SEES,
  removeGeneration: SEES,
  // Kept answers and responses: by the rows themselves, as no call waits for another's account there.
  giveUpOldest: SEES,
  createReplayCount: 'it adds to counts',
  insertRow: 'counting that it continues a response locks that',
  deleteNamed: SEES,
  deleteSomeOf: SEES,
  deleteWhile: SEES,
  stateOf: SEES,
  // Counts and expired rows.
  createRecorder: 'it adds to sums; a few rows over the bound of an hour do no harm',
  expireRefusals: DELETES,
  writeAll: 'it adds to sums',
  rewriteCalls: 'two write the same',
  renewHistory: 'one import runs at a time, and a row replaces itself',
  // Challenges of passkeys.
  storeChallenge: ADDS,
  // Mails.
  queueMail: ADDS,
  mailAccount: ADDS,
  // Sign-ups: counts, and links, which are judged under a lock once they are used.
  countSignUp: 'it adds to counts',
  requestSignUp: 'the owner of the address is checked again, under a lock, once the link is used',
  makeCode: ADDS,
  revokeCode: SEES,
  createVouchers: ADDS,
  importVouchers: ADDS,
  // Customers of erased accounts, by the row that was deleted.
  createErasedCustomers: SEES,
  // A person's data, and the gateways.
  forgetLimits: DELETES,
  rows: DELETES,
  beginGateway: 'it ends only gateways of its own folder, whose lock it has',
  // Copies.
  postgresTarget: ALONE,
  settleCopy: ALONE,
}

interface Transaction {
  /** The function that begins it, or the only one that it calls. */
  name: string
  locks: boolean
}

/** A change of state locks the account of its row. */
const LOCKS = /\.lock\(|\b(?:lock(?:ed)?[A-Z]\w*|changeState)\(/
const BEGIN =
  /(?:\b(?:db|tx|inner|all|rows)|dbOver\(\w+\))\s*\.begin\(|(?<!function )\bchanged\(\s*gateway\b/g
const DECLARED = /^(?:export )?(?:async )?(?:function\*?|const) (\w+)/gm

const sources = FILES.map((file) => readFileSync(join(ROOT, file), 'utf8'))
/** The functions that lock, by their own text. */
const locking = new Set(
  sources.flatMap((text) => {
    const declared = [...text.matchAll(DECLARED)]
    return declared.flatMap(({ index, 1: name = '' }, at) =>
      LOCKS.test(text.slice(index, declared[at + 1]?.index)) ? [name] : [],
    )
  }),
)

const transactionsIn = (text: string): Transaction[] =>
  [...text.matchAll(BEGIN)].map(({ index, 0: call }) => {
    const work = insideParentheses(text, index + call.lastIndexOf('(') + 1)
    const [, called, rows] = /^[^()]*\(tx\) =>\s*(?:(\w+)\(tx\b|tx\.(rows)\b)/.exec(work) ?? []
    const only = called ?? rows
    const around = [...text.slice(0, index).matchAll(DECLARED)].at(-1)?.[1] ?? ''
    const name = only ?? around
    return { name, locks: LOCKS.test(work) || (only !== undefined && locking.has(only)) }
  })

function insideParentheses(text: string, start: number): string {
  let end = start
  for (let depth = 1; depth > 0; end += 1) {
    if (text[end] === '(') depth += 1
    else if (text[end] === ')') depth -= 1
  }
  return text.slice(start, end - 1)
}

test('each transaction takes a lock, or is listed as one that needs none', () => {
  const transactions = sources.flatMap(transactionsIn)
  const unlocked = transactions.filter(({ locks }) => !locks).map(({ name }) => name)
  expect([...new Set(unlocked)].sort()).toEqual(Object.keys(NEED_NONE).sort())
})

test('a transaction is found with the function that it calls, and with its lock', () => {
  const of = (text: string) => transactionsIn(`export const outer = 1\n${text}`)
  expect(of('db.begin((tx) => createKey(tx, (1)))')).toEqual([{ name: 'createKey', locks: true }])
  expect(of('db.begin((tx) => other(tx), { by })')).toEqual([{ name: 'other', locks: false }])
  expect(of('db.begin(async (tx) => {\n await tx.lock(null)\n})')).toEqual([{ name: 'outer', locks: true }])
  expect(of('changed(gateway, asking, async (tx) => {\n await other(tx)\n})')).toEqual([
    { name: 'outer', locks: false },
  ])
})

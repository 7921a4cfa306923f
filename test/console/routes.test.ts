// Every route of the console with every role, and without a session: a route of the app without its line in the table fails.
import { describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { suspendAccount } from '../../src/access/accounts.ts'
import { clientOf, signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'
import { gatewaySpy } from '../support/plugins.ts'

/**
 * The roles that may call each route, one letter each: operator O, support S, auditor A; owner o, member m, billing b; a session by key k; and
 * a visitor without a session v. Any other role is refused with 403, a visitor with 401, before the body is read. An exclamation mark: people of
 * a suspended account are refused, too.
 *
 * A line for an account's people needs tests that they see only their own things there.
 */
const TABLE = `
  /session                      GET OSAombkv   POST OSAombkv   DELETE OSAombk.
  /session/confirm              GET OSAomb..   POST OSAomb..
  /me                           GET OSAomb..   PUT OSAomb..
  /me/email                     POST OSAomb..
  /me/email/confirm             POST OSAomb..
  /sessions                     GET OSAombk.   DELETE OSAombk.
  /sessions.csv                 GET OSAombk.
  /sessions/:id                 DELETE OSAombk.
  /identity-providers           GET OSAombkv
  /identity-providers/start     POST OSAombkv
  /identity-providers/finish    POST OSAombkv
  /identity-providers/leave     POST OSAombkv
  /identities                   GET OSAomb..
  /identities/start             POST OSAomb..
  /identities/:id               DELETE OSAomb..
  /links/look                   POST OSAombkv
  /links/accept                 POST OSAombkv
  /links/sign-in                POST OSAombkv
  /mailed-links                 POST OSAombkv
  /passkeys                     GET OSAomb..   POST OSAomb..
  /passkeys/begin               POST OSAomb..
  /passkeys/:id                 PATCH OSAomb..   DELETE OSAomb..
  /passkeys/confirm             POST OSAomb..
  /passkeys/confirm/begin       POST OSAomb..
  /passkeys/sign-in             POST OSAombkv
  /passkeys/sign-in/begin       POST OSAombkv
  /password                     PUT OSAomb..
  /invitations                  POST OS......

  /accounts                     GET OSA.....   POST O.......
  /accounts.csv                 GET OSA.....
  /accounts/:id                 GET OSA.....   PATCH O.......
  /accounts/:id/suspend         POST OS......
  /accounts/:id/resume          POST OS......
  /accounts/:id/close           POST O.......
  /accounts/:id/top-up          POST OS......
  /accounts/:id/debit           POST O.......

  /plans                        GET OSAo.b..
  /plans.csv                    GET OSAo.b..
  /plan                         GET OSAo.b..
  /plan-revenue                 GET OSA.....
  /plan-prices                  GET OSAo.b..
  /plan-orders                  POST O..o.b..!
  /plan-renewal                 GET OSAo.b..   PUT O..o.b..!
  /plan/buy                     POST O..o.b..!
  /plan/cancel                  POST O..o.b..
  /plan/keep                    POST O..o.b..!

  /staff                        GET OSA.....   POST O.......
  /staff.csv                    GET OSA.....
  /staff/:id                    PATCH O.......   DELETE O.......
  /staff/:id/disable            POST O.......
  /staff/:id/enable             POST O.......
  /staff/:id/link               POST O.......

  /keys                         GET OSAombk.   POST O..om...!
  /keys.csv                     GET OSAombk.
  /keys/:id                     GET OSAombk.   PATCH O..om...!
  /keys/:id/rotate              POST O..om...!
  /keys/:id/revoke              POST O..om...!

  /overview                     GET OSAombk.
  /usage                        GET OSAombk.
  /usage.csv                    GET OSAombk.
  /health                       GET OSAombk.
  /live                         GET OSAombk.
  /start                        GET OSAombk.
  /first-call                   GET OSAombk.
  /search                       GET OSAombk.
  /calls                        GET OSAombk.
  /calls.csv                    GET OSAombk.
  /calls/:request_id            GET OSAombk.
  /calls/:request_id/refund     GET OSA.....   POST OS......
  /refunds                      GET OSA.....   POST O.......
  /call-filters                 GET OSAombk.
  /call-sums                    GET OSAombk.
  /failed-calls                 GET OSAombk.
  /refusals                     GET OSAombk.
  /refusals/:request_id         GET OSAombk.
  /history                      GET OSAombk.
  /history.csv                  GET OSAombk.
  /entries                      GET OSAombk.
  /entries.csv                  GET OSAombk.
  /entry-sums                   GET OSAombk.
  /statement                    GET OSAombk.
  /statement.csv                GET OSAombk.
  /orders                       GET OSAo.b..   POST O..o.b..
  /orders.csv                   GET OSAo.b..
  /orders/:id                   GET OSAo.b..
  /orders/:id/pay               POST O..o.b..
  /orders/:id/cancel            POST O..o.b..
  /orders/:id/look              POST O..o.b..
  /orders/:id/refund            GET OSA.....   POST O.......
  /orders/:id/mark-paid         POST O.......
  /automatic-top-up             GET OSAo.b..   PUT O..o.b..!   DELETE O..o.b..
  /payment-card                 GET OSAo.b..   POST O..o.b..   DELETE O..o.b..
  /payment-methods              GET OSAo.b..
  /payment-offer                GET OSAo.b..
  /payments                     GET OSA.....
  /payments.csv                 GET OSA.....
  /audit-log                    GET OSAombk.
  /audit-log.csv                GET OSAombk.

  /play                         GET OSAombk.
  /play/quote                   POST O..om.k.!
  /play/key                     POST O..om.k.!
  /play/chat                    POST O..om.k.!
  /play/images                  POST O..om.k.!
  /play/edits                   POST O..om.k.!
  /play/compose                 POST O..om.k.!
  /images                       GET OSAombk.
  /images.csv                   GET OSAombk.
  /images/:id                   GET OSAombk.   DELETE O..om.k.!
  /images/:id/picture           GET OS.ombk.
  /images/:id/thumbnail         GET OS.ombk.
  /files                        GET OSAombk.   POST O..om.k.!   DELETE O..om.k.!
  /files.csv                    GET OSAombk.
  /files/picture                GET OS.ombk.
  /files/thumbnail              GET OS.ombk.

  /models                       GET OSAombk.
  /models.csv                   GET OSAombk.
  /models/detail                GET OSAombk.
  /providers                    GET OSA.....
  /providers.csv                GET OSA.....
  /providers/try                POST O.......
  /prices/import                POST O.......
  /prices/margins               POST O.......
  /prices/changes               POST O.......
  /price-groups                 GET OSA.....
  /catalogue                    GET OSA.....
  /catalogue/settings           GET OSA.....
  /catalogue/known              GET OSA.....
  /catalogue/check              POST O.......
  /catalogue/previews           POST O.......
  /catalogue/save               POST O.......
  /catalogue/values             POST O.......
  /catalogue/versions           GET OSA.....
  /catalogue/versions/:version  GET OSA.....

  /system                       GET OSA.....
  /plugins                      GET OSA.....
  /books                        GET OSA.....
  /books/audit                  POST O.......
  /doctor                       GET OSA.....   POST O.......
  /alerts                       GET OSA.....
  /alerts/test                  POST O.......
  /backups                      GET OSA.....   POST O.......
  /backups.csv                  GET OSA.....
  /backups/work                 GET OSA.....
  /backups/:name                GET O.......
  /backups/:name/verify         POST O.......
  /sign-up                      GET OSAombkv   POST OSAombkv
  /sign-up/challenge            GET OSAombkv
  /sign-up/invitation           POST OSAombkv
  /sign-up/look                 POST OSAombkv
  /sign-up/finish               POST OSAombkv
  /referral                     GET OSAo.b..
  /referrals                    GET OSA.....
  /referrals.csv                GET OSA.....
  /vouchers                     GET OSA.....
  /vouchers.csv                 GET OSA.....
  /vouchers/redeem              POST O..o.b..!
  /vouchers/:id                 DELETE O.......
  /voucher-batches              GET OSA.....   POST O.......
  /voucher-batches.csv          GET OSA.....
  /voucher-batches/:id          DELETE O.......
  /sign-ups                     GET OSA.....
  /sign-ups.csv                 GET OSA.....
  /sign-up-invitations          GET OSA.....   POST OS......
  /sign-up-invitations.csv      GET OSA.....
  /sign-up-invitations/:id      DELETE OS......

  /team                         GET OSAo.b..
  /team.csv                     GET OSAo.b..
  /team/:person                 PATCH O..o....!
  /team/:person/limits          PUT O..o....!
  /team/:person/remove          POST O..o....!
  /team-invitations             GET OSAo.b..   POST O..o....!
  /team-invitations.csv         GET OSAo.b..
  /team-invitations/:id         DELETE O..o....!
  /join                         POST OSAomb..
  /join/look                    POST OSAombkv
  /join/new                     POST OSAombkv
  /session/accounts             GET OSAombk.
  /session/limits               GET OSAombk.
  /session/account              PUT OSAomb..

  /mails                        GET OSA.....
  /mails.csv                    GET OSA.....
  /mails/:id                    DELETE O.......
  /mails/:id/retry              POST O.......
  /mail-unsubscribed            GET OSA.....
  /mail-unsubscribed.csv        GET OSA.....
  /mail-test                    POST O.......
  /incidents                    GET OSA.....   POST O.......
  /incidents.csv                GET OSA.....
  /incidents/:id                GET OSA.....
  /incidents/:id/updates        POST O.......
`

const ROLES = {
  O: 'operator',
  S: 'support',
  A: 'auditor',
  o: 'owner',
  m: 'member',
  b: 'billing',
  k: 'key',
  v: 'visitor',
} as const
type Letter = keyof typeof ROLES
const LETTERS = Object.keys(ROLES) as Letter[]

/** The letters of a route, by its name: "GET /accounts". */
const ALLOWED: ReadonlyMap<string, string> = new Map(
  TABLE.trim()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const [path = '', ...cells] = line.trim().split(/\s+/)
      return cells.flatMap((cell, at) =>
        at % 2 === 0 ? [[`${cell} ${path}`, cells[at + 1] ?? ''] as const] : [],
      )
    }),
)

/** Queries that a route needs to reach its own check. */
const QUERIES: Readonly<Record<string, string>> = {
  '/files/picture': `?key=1/${'a'.repeat(32)}.png`,
  '/files/thumbnail': `?key=1/${'a'.repeat(32)}.png`,
}

const PREFIX = '/console/api'
/** An id without a row, so that allowed requests change nothing. */
const UNKNOWN_ID = '999999'
const UUID = '00000000-0000-4000-8000-000000000000'
const spy = gatewaySpy()

const gateway = await fileGateway({ plugins: [...plugins, spy.plugin] })
const loaded = await Promise.all(spy.gateway().operations.console_routes.map((load) => load()))
await gateway.account('alice', { balance_usd: '1' })

/** All routes, by name, each with a path that matches it. */
function routes(): { name: string; method: string; path: string }[] {
  return loaded
    .flatMap((each) => each?.routes ?? [])
    .map(({ method, path }) => {
      const below = path.slice(PREFIX.length)
      return {
        name: `${method} ${below}`,
        method,
        path:
          below.replace(/^(\/images\/):id/, `$1${UUID}`).replace(/:[a-z_]+\??/gi, UNKNOWN_ID) +
          (QUERIES[below] ?? ''),
      }
    })
}

const withoutBody = (method: string) => method === 'GET' || method === 'HEAD'
/** No body is JSON. That of a visitor is above the limit for requests without a session, too. */
const bodyOf = (method: string, letter: Letter) => {
  if (withoutBody(method)) return {}
  return { body: letter === 'v' ? 'x'.repeat(20_000) : '{"' }
}

test('every route has its line in the table, and every line its route', () => {
  const names = routes().map(({ name }) => name)
  expect(names.toSorted()).toEqual([...ALLOWED.keys()].toSorted())
  for (const letters of ALLOWED.values()) expect(letters).toMatch(/^O[S.][A.][o.][m.][b.][k.][v.]!?$/)
})

/** For several hundred requests. */
const MAX_MS = 30_000

/** Every sentence that refuses a role. */
const SENTENCES: Readonly<Record<Letter, readonly string[]>> = {
  O: [],
  S: ['Your role is support, which may not do this. Ask an operator.'],
  A: ['Your role is auditor, which may not do this. Ask an operator.'],
  o: ['Only an operator can do this. Ask the operator of this gateway.'],
  m: [
    'Only an operator can do this. Ask the operator of this gateway.',
    'Your role in this account is member, which may not do this. Ask an owner of the account.',
  ],
  b: [
    'Only an operator can do this. Ask the operator of this gateway.',
    'Your role in this account is billing, which may not do this. Ask an owner of the account.',
  ],
  k: [
    'Only an operator can do this. Ask the operator of this gateway.',
    'You signed in with an API key, which may not do this. Sign in with the account’s password.',
  ],
  v: ['You are not signed in, or your session has ended. Sign in at /console.'],
}

describe.each(LETTERS)('%s', (letter) => {
  const is_visitor = letter === 'v'
  const refused = routes().filter(({ name }) => !ALLOWED.get(name)?.includes(letter))
  const allowed = routes().filter(({ name }) => ALLOWED.get(name)?.includes(letter))

  test(
    `${ROLES[letter]} is refused all other routes, before the body is read`,
    async () => {
      const sentences = new Set<string>()
      const requests = (await clientsOf(letter)).flatMap((client) =>
        refused.map(async ({ name, method, path }) => {
          const answer = await client.send(method, path, bodyOf(method, letter))
          const { error } = (await answer.json()) as { error: { code: string; message: string } }
          expect([name, answer.status, error.code]).toEqual(
            is_visitor ? [name, 401, 'session_required'] : [name, 403, 'role_may_not'],
          )
          expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
          sentences.add(error.message)
        }),
      )
      await Promise.all(requests)
      expect([...sentences].toSorted()).toEqual(SENTENCES[letter].toSorted())
    },
    MAX_MS,
  )

  test(`${ROLES[letter]} may call the allowed routes`, async () => {
    const [client] = await clientsOf(letter)
    for (const { name, method, path } of allowed) {
      // A body that is not JSON changes nothing.
      const answer = await client?.send(method, path, withoutBody(method) ? {} : { body: '{"' })
      const code = await codeOf(answer)
      expect([name, ['role_may_not', 'session_required'].includes(code)]).toEqual([name, false])
    }
  })
})

async function clientsOf(letter: Letter) {
  switch (letter) {
    case 'O':
      return [await signedIn(gateway, 'operator'), await signedIn(gateway, { staff: 'operator' })]
    case 'S':
      return [await signedIn(gateway, { staff: 'support' })]
    case 'A':
      return [await signedIn(gateway, { staff: 'auditor' })]
    case 'o':
      return [await signedIn(gateway, { account: 'alice' })]
    case 'm':
      return [await signedIn(gateway, { account: 'alice', role: 'member' })]
    case 'b':
      return [await signedIn(gateway, { account: 'alice', role: 'billing' })]
    case 'k':
      return [await signedIn(gateway, { key: await gateway.key('alice') })]
    case 'v':
      return [clientOf(gateway), clientOf(gateway, `__Host-tollgate=${'x'.repeat(43)}`)]
  }
}

/** The error code of an answer; empty for other answers, which may be endless. */
async function codeOf(answer: Response | undefined): Promise<string> {
  if (!answer || answer.status < 400) {
    await answer?.body?.cancel()
    return ''
  }
  return ((await answer.json()) as { error: { code: string } }).error.code
}

describe('in an account suspended after the sign-in', () => {
  const LOST =
    'This account is suspended, since a bank took a payment back. Pay what the account owes at the console'
  const suspended = async (letter: 'o' | 'm' | 'b') => {
    const name = `suspended-${letter}`
    await gateway.account(name)
    const client = await signedIn(gateway, { account: name, role: ROLES[letter] })
    await suspendAccount(gateway.store, name, { reason: 'lost_dispute', now_ms: Date.now() })
    return client
  }

  test.each(['o', 'm', 'b'] as const)(
    'role %s keeps the routes without an exclamation mark, and is refused the rest before the body is read',
    async (letter) => {
      const client = await suspended(letter)
      const own = routes().filter(({ name }) => ALLOWED.get(name)?.includes(letter))
      for (const { name, method, path } of own) {
        const answer = await client.send(method, path, bodyOf(method, letter))
        if (ALLOWED.get(name)?.endsWith('!') !== true) {
          const code = await codeOf(answer)
          expect([name, /role_may_not|session_required|account_suspended/.test(code)]).toEqual([name, false])
          continue
        }
        const { error } = (await answer.json()) as { error: { code: string; message: string } }
        expect([name, answer.status, error.code]).toEqual([name, 403, 'account_suspended'])
        expect(error.message).toStartWith(LOST)
      }
    },
    MAX_MS,
  )

  test('a session by key is refused everywhere, with the same message', async () => {
    const { id } = await gateway.account('suspended-k')
    const key = await gateway.key('suspended-k')
    const client = await signedIn(gateway, { key })
    await suspendAccount(gateway.store, 'suspended-k', { reason: 'lost_dispute', now_ms: Date.now() })
    const own = routes().filter(({ name }) => /k[.]/.test(ALLOWED.get(name) ?? ''))
    for (const { name, method, path } of own) {
      const answer = await client.send(method, path, withoutBody(method) ? {} : { body: '{"' })
      expect([name, answer.status]).toEqual([name, 403])
      expect(((await answer.json()) as { error: { message: string } }).error.message).toStartWith(LOST)
    }
    expect((await clientOf(gateway).send('POST', '/session', { body: { key } })).status).toBe(403)
    expect(gateway.db.query('SELECT count(*) AS n FROM sessions WHERE account_id = ?').get(id)).toEqual({
      n: 1,
    })
  })
})

describe('from a page of another origin', () => {
  test('every route that changes something is 403, for the operator too', async () => {
    const client = await signedIn(gateway, 'operator')
    const unsafe = routes().filter(({ method }) => !withoutBody(method))
    // One check in front of all routes reads the origin, so each route is tried with one of them.
    const origins = [null, 'null', 'https://evil.example', 'http://127.0.0.1:1']
    for (const [at, { name, method, path }] of unsafe.entries()) {
      const origin = origins[at % origins.length] ?? null
      const answer = await client.send(method, path, { origin, body: '{}' })
      const sets_cookie = answer.headers.has('set-cookie')
      expect([name, origin, answer.status, sets_cookie]).toEqual([name, origin, 403, false])
    }
    expect((await client.send('GET', '/sessions')).status).toBe(200)
  })
})

test('no answer of a route may be cached by a proxy, framed, or used by another site', async () => {
  const [operator, nobody] = [await signedIn(gateway, 'operator'), clientOf(gateway)]
  const all = [...routes(), { method: 'GET', path: '/nothing' }, { method: 'OPTIONS', path: '/session' }]
  for (const { method, path } of all)
    for (const client of method === 'GET' ? [operator, nobody] : [nobody]) {
      const answer = await client.send(method, path)
      await answer.body?.cancel()
      expect([path, Object.fromEntries(answer.headers)]).toEqual([
        path,
        expect.objectContaining({
          'cache-control': expect.stringMatching(/no-store|private/),
          'content-security-policy': expect.stringContaining("default-src 'none'"),
          'cross-origin-resource-policy': 'same-origin',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        }),
      ])
    }
})

test('the pages of an account may send 1,200 requests a minute over all its sessions; those of the operator have no limit', async () => {
  const bob = await gateway.account('bob', { balance_usd: '1' })
  const key = await gateway.key('bob')
  const clients = [await signedIn(gateway, { account: 'bob' }), await signedIn(gateway, { key })]
  for (let call = 0; call < 1_199; call++)
    expect(spy.gateway().people.page_calls.take(bob.id, 1_200).admitted).toBe(true)
  expect((await clients[0]?.send('GET', '/sessions'))?.status).toBe(200)
  for (const client of clients) {
    const refused = await client.send('GET', '/sessions')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  // Not alice: her people have tried every route by now.
  await gateway.account('dora')
  expect((await (await signedIn(gateway, { account: 'dora' })).send('GET', '/sessions')).status).toBe(200)
  expect((await (await signedIn(gateway, 'operator')).send('GET', '/sessions')).status).toBe(200)
})

test('exports have a limit of their own, apart from that of pages', async () => {
  await gateway.account('carol', { balance_usd: '1' })
  const carol = await signedIn(gateway, { account: 'carol' })
  for (let file = 0; file < 12; file++) expect((await carol.send('GET', '/keys.csv')).status).toBe(200)
  const refused = await carol.send('GET', '/calls.csv')
  expect([refused.status, ((await refused.json()) as { error: { message: string } }).error.message]).toEqual([
    429,
    expect.stringMatching(/^This account has exported 12 lists within a minute\. Try again in \d+ seconds\./),
  ])
  expect((await carol.send('GET', '/sessions')).status).toBe(200)
  const operator = await signedIn(gateway, 'operator')
  for (let file = 0; file < 13; file++) expect((await operator.send('GET', '/keys.csv')).status).toBe(200)
})

test('all these requests moved no money and left no call', async () => {
  const { holds, calls, entries } = await gateway.atRest()
  expect([holds, calls, entries.length]).toEqual([[], [], 3])
})

// The audit log over a real gateway: each action of the console with its author and its changes, and no failed action.
import { describe, expect, test } from 'bun:test'
import { defined } from '../../src/utilities/defined.ts'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import { allPages, type ConsoleClient, clientOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileGateway } from '../support/gateway.ts'

const FIRST_PASSWORD = 'four words in a row'
const NEXT_PASSWORD = 'five words all in a row'

const gateway = await fileGateway()
const operator = await signedIn(gateway, 'operator')
const of = (name: string): ConsoleClient => {
  const client = clients.get(name)
  if (!client) throw new Error(`${name} is not signed in yet`)
  return client
}
const clients = new Map<string, ConsoleClient>()
/** Texts that only their owners may read. */
const secrets: string[] = [FIRST_PASSWORD, NEXT_PASSWORD, ...PROVIDER_KEYS]
/** Keys by the names that the actions below use. */
const made = new Map<string, { id: number; prefix: string; text: string }>()
const idOf = (name: string): number => made.get(name)?.id ?? 0
const textOf = (name: string): string => made.get(name)?.text ?? ''

interface Line {
  id: number
  action: string
  by: string
  account: string | null
  key_id: number | null
  request_id: string | null
  session_id: number | null
  person: string | null
  before: unknown
  after: unknown
}
const newest = async (client = operator, query = ''): Promise<Line[]> =>
  (await client.json('GET', `/audit-log?limit=50${query}`)).actions
const lastId = async (): Promise<number> => (await newest())[0]?.id ?? 0
const linesAfter = async (id: number): Promise<Line[]> =>
  (await newest()).filter((line) => line.id > id).reverse()

async function makeKey(name: string, path: string, client: ConsoleClient, body: object = {}): Promise<void> {
  const { key, text } = await client.json('POST', path, body)
  secrets.push(text)
  made.set(name, { id: key.id, prefix: key.prefix, text })
}

/** Signs in, and keeps the client under a name. */
async function enter(name: string, path: string, body: object): Promise<void> {
  const answer = await clientOf(gateway).send('POST', path, { body })
  expect(answer.status).toBe(200)
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  secrets.push(cookie.slice(cookie.indexOf('=') + 1))
  clients.set(name, clientOf(gateway, cookie))
}

let invitation = ''
async function invite(): Promise<void> {
  const { url } = await operator.json('POST', '/invitations', { account: 'alicia' })
  invitation = url.slice(url.indexOf('#') + 1)
  secrets.push(invitation)
}

async function saveCatalogue(change: (text: string) => string): Promise<Response> {
  const { text, hash } = await operator.json('GET', '/catalogue')
  return await operator.send('POST', '/catalogue/save', { body: { text: change(text), hash } })
}
const cheaper = (text: string) => text.replace('input = 1,', 'input = 2,')

type Expected = Partial<Record<keyof Line, unknown>>
/** A line about an account; an absent value is not compared. */
const lineOf =
  (account: string, by: string) =>
  (action: string, before?: unknown, after?: unknown): Expected =>
    defined({ account, by, action, before, after })
const [ofAlice, ofAlicia] = [lineOf('alice', 'operator'), lineOf('alicia', 'operator')]
const byAlicia = lineOf('alicia', 'account')
const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

/** In order: each continues from the state that the ones before left. */
const ACTIONS: [what: string, action: () => Promise<unknown>, lines: Expected[]][] = [
  [
    'an account is created',
    () => operator.json('POST', '/accounts', { name: 'alice' }),
    [ofAlice('account.created', null, { name: 'alice' })],
  ],
  [
    'funds are added',
    () => operator.json('POST', '/accounts/alice/top-up', { amount: '12.5', note: 'invoice 7' }),
    [
      ofAlice(
        'balance.topped_up',
        { balance_usd: '0.00' },
        { balance_usd: '12.50', amount_usd: '12.50', note: 'invoice 7' },
      ),
    ],
  ],
  [
    'a balance is debited',
    () => operator.json('POST', '/accounts/alice/debit', { amount: '2', note: 'x' }),
    [
      ofAlice(
        'balance.debited',
        { balance_usd: '12.50' },
        { balance_usd: '10.50', amount_usd: '2.00', note: 'x' },
      ),
    ],
  ],
  [
    'an account is suspended',
    () => operator.json('POST', '/accounts/alice/suspend'),
    [ofAlice('account.suspended', { status: 'active' }, { status: 'suspended' })],
  ],
  [
    'an account is resumed',
    () => operator.json('POST', '/accounts/alice/resume'),
    [ofAlice('account.resumed', { status: 'suspended' }, { status: 'active' })],
  ],
  [
    'a key is created',
    () =>
      makeKey('laptop', '/keys', operator, {
        account: 'alice',
        name: 'laptop',
        models: ['gpt-*'],
        spend_limit: '5',
      }),
    [
      ofAlice(
        'key.created',
        null,
        expect.objectContaining({ name: 'laptop', models: ['gpt-*'], spend_limit_usd: '5.00' }),
      ),
    ],
  ],
  [
    'a key is changed',
    () => operator.json('PATCH', `/keys/${idOf('laptop')}`, { spend_limit: null, name: 'desktop' }),
    [
      ofAlice(
        'key.changed',
        { name: 'laptop', spend_limit_usd: '5.00' },
        { name: 'desktop', spend_limit_usd: null },
      ),
    ],
  ],
  [
    'a key is rotated',
    () => makeKey('rotated', `/keys/${idOf('laptop')}/rotate`, operator, { grace_s: 60 }),
    [
      ofAlice('key.created', undefined, expect.objectContaining({ name: 'desktop' })),
      ofAlice(
        'key.rotated',
        { revoked_at: null },
        { revoked_at: TIME, new_key: expect.stringMatching(/^tg_/) },
      ),
    ],
  ],
  [
    'a key is revoked',
    () => operator.json('POST', `/keys/${idOf('rotated')}/revoke`),
    [ofAlice('key.revoked', { revoked_at: null }, { revoked_at: TIME })],
  ],
  [
    'an account is renamed',
    () => operator.json('PATCH', '/accounts/alice', { name: 'alicia' }),
    [ofAlicia('account.renamed', { name: 'alice' }, { name: 'alicia' })],
  ],
  ['an invitation is made', invite, [ofAlicia('invitation.created', undefined, { expires_at: TIME })]],
  [
    'a password is set by an invitation',
    () => enter('alicia', '/links/accept', { token: invitation, password: FIRST_PASSWORD }),
    [
      byAlicia('session.started', undefined, { browser: expect.any(String) }),
      byAlicia('password.set', null, null),
    ],
  ],
  [
    'a password is changed',
    () =>
      of('alicia').json('PUT', '/password', { old_password: FIRST_PASSWORD, new_password: NEXT_PASSWORD }),
    [byAlicia('password.changed', undefined, { ended_sessions: 0 })],
  ],
  [
    'an account holder creates a key',
    () => makeKey('own', '/keys', of('alicia'), { name: 'own' }),
    [byAlicia('key.created', undefined, expect.objectContaining({ name: 'own' }))],
  ],
  [
    'the playground makes its key',
    () => of('alicia').json('POST', '/play/key'),
    [byAlicia('key.created', undefined, expect.objectContaining({ name: 'console' }))],
  ],
  [
    'somebody signs in by a password',
    () => enter('at home', '/session', { account: 'alicia', password: NEXT_PASSWORD }),
    [byAlicia('session.started')],
  ],
  [
    'somebody signs in by a key',
    () => enter('by key', '/session', { key: textOf('own') }),
    [{ account: 'alicia', by: 'key', action: 'session.started', key_id: expect.any(Number) }],
  ],
  [
    'somebody signs out',
    () => of('by key').json('DELETE', '/session'),
    [{ account: 'alicia', by: 'key', action: 'session.ended', before: { session: expect.any(Number) } }],
  ],
  [
    'a session of an account is ended by the operator',
    async () => {
      const { sessions } = await operator.json('GET', '/sessions?whose=all')
      const [own] = sessions.filter(({ account }: { account: string | null }) => account === 'alicia')
      await operator.json('DELETE', `/sessions/${own.id}`)
    },
    [ofAlicia('session.ended', { session: expect.any(Number) })],
  ],
  [
    'all sessions of an account are ended by its holder',
    () => of('alicia').json('DELETE', '/sessions'),
    [byAlicia('session.ended', { sessions: 1 })],
  ],
  [
    'another account is created',
    () => operator.json('POST', '/accounts', { name: 'bob' }),
    [{ account: 'bob', by: 'operator', action: 'account.created' }],
  ],
  [
    'it is topped up',
    () => operator.json('POST', '/accounts/bob/top-up', { amount: '3', note: 'first balance' }),
    [
      {
        account: 'bob',
        by: 'operator',
        action: 'balance.topped_up',
        after: { balance_usd: '3.00', amount_usd: '3.00', note: 'first balance' },
      },
    ],
  ],
  [
    'a key is created for it',
    async () => {
      const { text } = await operator.json('POST', '/keys', { account: 'bob', name: 'first' })
      secrets.push(text)
    },
    [{ account: 'bob', by: 'operator', action: 'key.created' }],
  ],
  [
    'a price is saved in the console',
    async () => expect((await saveCatalogue(cheaper)).status).toBe(200),
    [{ by: 'operator', account: null, action: 'price.changed', before: { input: 1 }, after: { input: 2 } }],
  ],
  [
    'an account is closed',
    () => operator.json('POST', '/accounts/alicia/close', { name: 'alicia' }),
    [ofAlicia('account.closed', { status: 'active' }, { status: 'closed', revoked_keys: 3 })],
  ],
  [
    'an account is opened again',
    () => operator.json('POST', '/accounts/alicia/resume'),
    [ofAlicia('account.resumed', { status: 'closed' }, { status: 'active' })],
  ],
]

describe('each change has its lines', () => {
  test.each(ACTIONS)('%s', async (_, act, lines) => {
    const before = await lastId()
    await act()
    const found = await linesAfter(before)
    expect(found).toMatchObject(lines)
    const [{ request_id, session_id, by, person } = found[0] as Line] = found
    expect([request_id?.slice(0, 4), typeof session_id, !person]).toEqual(['req_', 'number', by === 'key'])
    expect(found.every((line) => line.request_id === request_id)).toBe(true)
  })

  test('an edit of the file is by the system, once it is in force', async () => {
    const before = await lastId()
    const { path } = await operator.json('GET', '/catalogue')
    await gateway.recatalogue((await Bun.file(path).text()).replace('input = 2,', 'input = 3,'))
    await eventually('it is noticed', async () => (await linesAfter(before)).length > 0)
    expect(await linesAfter(before)).toMatchObject([
      { by: 'system', session_id: null, action: 'price.changed', before: { input: 2 }, after: { input: 3 } },
    ])
  })
})

describe('no line is written of', () => {
  const post = (path: string, body?: object) => operator.send('POST', path, body ? { body } : {})
  const nobody = (path: string, body: object) => clientOf(gateway).send('POST', path, { body })
  test.each<[what: string, status: number, act: () => Promise<Response>]>([
    ['a name that is taken', 400, () => post('/accounts', { name: 'bob' })],
    ['a name that no account can have', 400, () => post('/accounts', { name: 'no name' })],
    ['an unknown account', 404, () => post('/accounts/nobody/suspend')],
    ['a debit above the balance', 422, () => post('/accounts/bob/debit', { amount: '99', note: 'x' })],
    ['an invalid amount', 400, () => post('/accounts/bob/top-up', { amount: '-1' })],
    ['a key with a name that is taken', 400, () => post('/keys', { account: 'bob', name: 'first' })],
    ['an unknown key', 404, () => post('/keys/99999/revoke')],
    ['a rotation of a revoked key', 400, () => post(`/keys/${idOf('rotated')}/rotate`, {})],
    ['a wrong name at a closing', 400, () => post('/accounts/bob/close', { name: 'alice' })],
    ['a wrong password', 401, () => nobody('/session', { account: 'alicia', password: 'not the right one' })],
    ['a wrong key', 401, () => nobody('/session', { key: 'tg_nobody' })],
    [
      'a link that was used',
      404,
      () => nobody('/links/accept', { token: invitation, password: NEXT_PASSWORD }),
    ],
    [
      'a catalogue with a mistake',
      422,
      () => saveCatalogue((text) => text.replace('input = 3', 'input = -3')),
    ],
    ['a catalogue saved unchanged', 200, () => saveCatalogue((text) => text)],
    [
      'an account holder who suspends another account',
      403,
      async () => (await signedIn(gateway, { account: 'bob' })).send('POST', '/accounts/alicia/suspend'),
    ],
    ['a key that is revoked again', 200, () => post(`/keys/${idOf('rotated')}/revoke`)],
    ['an account that is resumed again', 200, () => post('/accounts/alicia/resume')],
    [
      'a rename to the same name',
      200,
      () => operator.send('PATCH', '/accounts/alicia', { body: { name: 'alicia' } }),
    ],
  ])('%s', async (_, status, act) => {
    const before = await lastId()
    expect((await act()).status).toBe(status)
    expect(await linesAfter(before)).toEqual([])
  })

  test('a top-up sent again under its Idempotency-Key', async () => {
    const again = () =>
      operator.send('POST', '/accounts/bob/top-up', {
        body: { amount: '1', note: '' },
        headers: { 'idempotency-key': 'once' },
      })
    expect((await again()).status).toBe(200)
    const before = await lastId()
    expect((await again()).status).toBe(200)
    expect(await linesAfter(before)).toEqual([])
  })
})

describe('the list', () => {
  test.each<[query: string, actions: RegExp]>([
    ['&area=key', /^key\./],
    ['&area=sign_in', /^(session|password|invitation)\./],
    ['&area=balance&account=bob', /^balance\./],
    ['&by=system', /^(catalogue|price|setting)\./],
    ['&subject=test-model', /^price\.changed$/],
  ])('%s filters the list', async (query, actions) => {
    const lines = await newest(operator, query)
    expect(lines.length).toBeGreaterThan(0)
    for (const { action } of lines) expect(action).toMatch(actions)
  })

  test.each([
    ['&area=nothing', 400],
    ['&by=nobody', 400],
    ['&account=nobody', 404],
    ['&since=2026-02-30', 400],
    ['&since=2026-02-03&until=2026-02-01', 400],
  ])('%s is %d', async (query, status) => {
    expect((await operator.send('GET', `/audit-log?limit=1${query}`)).status).toBe(status)
  })

  test('comes page by page, each line once, and has the same lines as a file', async () => {
    const pages = await allPages((cursor) => operator.json('GET', `/audit-log?limit=7${cursor}`))
    const ids = pages.flatMap(({ actions }) => actions.map(({ id }: Line) => id))
    const all = gateway.db.query<{ id: number }, []>('SELECT id FROM actions ORDER BY id DESC').all()
    expect(ids).toEqual(all.map(({ id }) => id))
    const csv = await (await operator.send('GET', '/audit-log.csv?area=key')).text()
    const [head, ...lines] = csv.trimEnd().split('\r\n')
    expect(head).toStartWith('id,created_utc,action,title,by,')
    expect(lines.map((line) => Number(line.split(',')[0]))).toEqual(
      (await newest(operator, '&area=key')).map(({ id }) => id),
    )
  })

  test('an account sees its own lines, without session and address of the operator', async () => {
    const bob = await signedIn(gateway, { account: 'bob' })
    const lines = await newest(bob)
    expect(lines.length).toBeGreaterThan(2)
    for (const line of lines)
      expect(line).toMatchObject({
        account: 'bob',
        by: 'operator',
        session_id: null,
        request_id: null,
        address: null,
      })
    expect((await bob.send('GET', '/audit-log?account=alicia')).status).toBe(404)
    const key = await signedIn(gateway, { key: await gateway.key('bob', { name: 'seen' }) })
    expect(await newest(key)).toMatchObject([{ action: 'key.created', by: 'system' }])
  })

  test('an account does not see the operator’s notes about it, nor a key the address of its account holder', async () => {
    const written = { display_name: 'Bob who pays late', email: 'bob@example.com', note: 'call him' }
    const details = { ...written, keys_see_account: true }
    const { id } = (await operator.json('PATCH', '/accounts/bob', details)).account
    const bob = await signedIn(gateway, { account: 'bob' })
    const [changed] = await newest(bob)
    expect(changed).toMatchObject({ action: 'account.changed' })
    expect([changed?.before, changed?.after]).toEqual([
      { keys_see_account: false },
      { keys_see_account: true },
    ])
    const file = await (await bob.send('GET', '/audit-log.csv')).text()
    expect(Object.values(written).filter((text) => file.includes(text))).toEqual([])
    expect((await newest())[0]).toMatchObject({ after: details })

    const text = await gateway.key('bob', { name: 'door' })
    const own = gateway.rows().keys.find((key) => key.account_id === id && key.name === 'door')
    await bob.json('PATCH', `/keys/${own?.id}`, { spend_limit: '1' })
    expect((await newest(await signedIn(gateway, { key: text })))[0]).toMatchObject({
      action: 'key.changed',
      by: 'account',
      address: null,
      session_id: null,
      request_id: null,
    })
    expect((await newest(bob))[0]).toMatchObject({ by: 'account', address: '127.0.0.1' })
  })
})

test('no line has a key, a password, a link or a session’s token', () => {
  const rows = JSON.stringify(gateway.db.query('SELECT * FROM actions').all())
  expect(secrets.length).toBeGreaterThan(9)
  expect(secrets.filter((secret) => secret === '' || rows.includes(secret))).toEqual([])
})

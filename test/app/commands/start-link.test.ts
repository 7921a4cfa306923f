// The operator's link of a start: printed until an operator can sign in, and never in place of an invitation.
import { beforeEach, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { requireStaff } from '../../../plugins/staff/index.ts'
import { inviteStaff } from '../../../plugins/staff/invite.ts'
import { setPassword } from '../../../src/access/passwords.ts'
import { makeOperatorsLink, readLink } from '../../../src/access/sign-in-links.ts'
import { operatorAccess } from '../../../src/app/command-line/console-link.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import { banner } from '../../../src/app/commands/banner.ts'
import { fileGateway } from '../../support/gateway.ts'
import { newPerson } from '../../support/people.ts'

const HOUR_MS = 3_600_000
const NOW = Date.now()
const EMAIL = 'ada@example.com'
const { store } = await fileGateway({})

beforeEach(async () => {
  for (const table of ['mails', 'sign_in_links', 'sessions', 'passwords', 'staff', 'people'])
    await store.write((db) => db.rows(`DELETE FROM ${table}`))
})

const start = (at_ms = NOW) =>
  operatorAccess(store, 'https://ai.example.com', {
    randomBytes: (length: number) => randomBytes(length),
    now: () => at_ms,
  } as unknown as CliDeps)
const tokenOf = ({ console }: Awaited<ReturnType<typeof start>>) => console?.url.split('#')[1] ?? ''
const isOpen = (token: string, at_ms = NOW) =>
  readLink(store, token, at_ms).then(
    () => true,
    () => false,
  )

/** Invites the first operator, as `staff add` does. @returns the token of the link */
async function invite(has_mail: boolean): Promise<string> {
  const person_id = await newPerson(store, { account_id: null, role: 'operator' }, { name: 'Ada' })
  await store.write((db) => db.rows(`UPDATE people SET email = '${EMAIL}' WHERE id = ${person_id}`))
  const { token } = await store.begin(async (tx) => {
    await tx.lock(null)
    const issuing = { randomBytes: (length: number) => randomBytes(length), now_ms: NOW, has_mail }
    return await inviteStaff(tx, await requireStaff(tx, EMAIL), issuing)
  })
  return token
}

test.each([
  ['mailed', true],
  ['passed on by hand', false],
])('an invitation that was %s stays valid after later starts, which mention it', async (_, has_mail) => {
  const token = await invite(has_mail)
  for (const hours of [0, 1, 100]) expect(await start(NOW + hours * HOUR_MS)).toEqual({ invited: EMAIL })
  expect(await isOpen(token, NOW + 100 * HOUR_MS)).toBe(true)
})

test('a start after an invitation expired prints a link', async () => {
  const token = await invite(true)
  const later = NOW + 8 * 24 * HOUR_MS
  const made = await start(later)
  expect(made.console?.url).toStartWith('https://ai.example.com/console/welcome#')
  expect([await isOpen(token, later), await isOpen(tokenOf(made), later)]).toEqual([false, true])
})

test('`console link` replaces an invitation, and a start keeps its link valid', async () => {
  const token = await invite(true)
  const made = await store.begin((tx) =>
    makeOperatorsLink(tx, { randomBytes: (length) => randomBytes(length), now_ms: NOW }),
  )
  expect(await start()).toEqual({ invited: EMAIL })
  expect([await isOpen(token), await isOpen(made.token)]).toEqual([false, true])
})

test('without an invitation each start prints a link that replaces the previous one', async () => {
  const [first, second] = [await start(), await start()]
  expect([await isOpen(tokenOf(first)), await isOpen(tokenOf(second))]).toEqual([false, true])
})

test('a start prints no link if an operator can sign in', async () => {
  await invite(true)
  const { id } = await store.begin((tx) => requireStaff(tx, EMAIL))
  await store.begin((tx) => setPassword(tx, { person_id: id, hash: '$argon2id$x', now_ms: NOW }))
  expect(await start()).toEqual({})
})

test('the banner names the invited operator and the command that prints a link', () => {
  const text = banner({
    version: '1',
    ...{ listens: 'http://127.0.0.1:8080/', url: 'http://127.0.0.1:8080/' },
    catalogue_path: 'data/tollgate.toml',
    data_dir: '/d',
    models: 1,
    program: 'tollgate',
    demo: undefined,
    invited: EMAIL,
  })
  expect(text).toContain('\nada@example.com was invited as an operator, and has yet to open the link.\n')
  expect(text).toContain('\n  tollgate console link --data /d\n')
})

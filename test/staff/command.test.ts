// `staff`: commands add people with a link, list, change, disable and remove them; `console link` and `reset` work for each of them.
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { hashOf, setPassword } from '../../src/access/passwords.ts'
import { readLink } from '../../src/access/sign-in-links.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { NOW, sceneOfEachTest } from '../app/commands/scene.ts'
import { personAtConsole } from '../support/people.ts'

const scene = sceneOfEachTest(async () => {})
const ADD = ['staff', 'add', 'Mia Berg', '--email', 'mia@example.com', '--role', 'support'] as const

/** The name of the person for whom a link is. */
async function recipientOf(url: string): Promise<string> {
  const db = openDb(scene.path('tollgate.db'))
  try {
    return (await readLink(db, new URL(url).hash.slice(1), NOW)).person.name
  } finally {
    await db.close()
  }
}

async function givePassword(person_id: number): Promise<void> {
  const db = openDb(scene.path('tollgate.db'))
  await setPassword(db, { person_id, hash: '$argon2id$x', now_ms: NOW })
  await db.close()
}

test('staff add prints a link for the person', async () => {
  const { status, out, err } = await scene.run(...ADD)
  expect([status, err]).toEqual([0, ''])
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:8080\/console\/invitation#[A-Za-z0-9_-]{32}$/)
  expect(await recipientOf(out)).toBe('Mia Berg')
  const { actions } = await scene.json('audit-log', '--area', 'staff')
  expect(actions).toMatchObject([
    { action: 'staff.added', by: 'command', command: 'staff add', subject: 'mia@example.com' },
  ])
})

test('with --json it prints the person and the expiry of the link', async () => {
  const added = await scene.json(...ADD)
  expect(added).toMatchObject({
    ...{ name: 'Mia Berg', email: 'mia@example.com', role: 'support', state: 'invited' },
    ...{ was_here: false, mailed_to: null, expires_at: new Date(NOW + 7 * 86_400_000).toISOString() },
  })
  expect(added.url).toContain('/console/invitation#')
})

test('with a mail server the invitation is queued', async () => {
  writeFileSync(
    scene.path('tollgate.toml'),
    `${FIRST_CATALOGUE.replace('#public_url', 'public_url')}\n[mail]\nsmtp = "env:SMTP_URL"\nfrom = "a@example.com"\n`,
  )
  const { out } = await scene.run(...ADD)
  expect(out).toBe(
    'Mia Berg added as support. Invitation queued to mia@example.com; a running gateway sends it now.',
  )
  const { mails } = await scene.json('mail', 'list')
  expect(mails).toMatchObject([{ purpose: 'invitation', recipient: 'mia@example.com', state: 'queued' }])
  const { out: link } = await scene.run(
    'staff',
    'add',
    'Otto',
    '--email',
    'otto@example.com',
    '--role',
    'auditor',
    '--link',
  )
  expect(link).toContain('/console/invitation#')
})

test('staff list has all people, also as JSON', async () => {
  await scene.run('console', 'link')
  await scene.run(...ADD)
  const { out } = await scene.run('staff', 'list')
  expect(out.split('\n').map((line) => line.trim().split(/\s{2,}/))).toMatchObject([
    ['ID', 'NAME', 'EMAIL', 'ROLE', 'STATE'],
    ['1', 'operator', '-', 'operator', 'invited'],
    ['2', 'Mia Berg', 'mia@example.com', 'support', 'invited'],
  ])
  expect((await scene.json('staff', 'list')).staff).toMatchObject([{ id: 1 }, { id: 2, role: 'support' }])
})

test('commands change a role and a name, disable, enable and remove', async () => {
  await scene.run(...ADD)
  const steps = [
    [['change', 'mia@example.com', '--role', 'auditor'], 'Mia Berg is auditor now.'],
    [['change', '1', '--name', 'Mia Roth'], 'Name changed to Mia Roth.'],
    [['disable', 'MIA@example.com'], 'Mia Roth cannot sign in any more.'],
    [['enable', 'mia@example.com'], 'Mia Roth can sign in again.'],
    [['remove', 'mia@example.com'], 'Mia Roth removed from the staff.'],
  ] as const
  for (const [words, sentence] of steps) {
    const { status, out, err } = await scene.run('staff', ...words)
    expect([status, out, err]).toEqual([0, sentence, ''])
  }
  expect((await scene.run('staff', 'list')).out).toBe(
    'Nobody yet. `tollgate console link` makes a link for the operator.',
  )
})

describe('refused commands', () => {
  test.each([
    [['add', 'Mia', '--role', 'support'], 2, "required option '--email <address>'"],
    [['add', 'Mia', '--email', 'mia@example.com'], 2, "required option '--role <role>'"],
    [
      ['add', 'Mia', '--email', 'mia@example.com', '--role', 'owner'],
      2,
      'Allowed choices are operator, support, auditor',
    ],
    [['add', 'Mia', '--email', 'mia', '--role', 'support'], 1, 'email: must be an email address'],
    [
      ['add', '', '--email', 'mia@example.com', '--role', 'support'],
      1,
      'name: must have 1 to 100 characters.',
    ],
    [['change', '1'], 2, 'give --role or --name'],
    [
      ['change', 'nobody@example.com', '--role', 'auditor'],
      1,
      'Nobody on the staff has the number or address "nobody@example.com"',
    ],
    [['remove', '7'], 1, 'Nobody on the staff has the number or address "7"'],
    [['remove', '1'], 1, 'operator is the last operator who can sign in.'],
    [['disable', '1'], 1, 'operator is the last operator who can sign in.'],
    [['change', '1', '--role', 'support'], 1, 'operator is the last operator who can sign in.'],
  ])('%j', async (words, status, message) => {
    const db = openDb(scene.path('tollgate.db'))
    await personAtConsole(db, null)
    await db.close()
    const refused = await scene.run('staff', ...words)
    expect([refused.status, refused.err]).toEqual([status, expect.stringContaining(message)])
  })
})

describe('with several operators', () => {
  async function twoOperators(): Promise<void> {
    await scene.run('console', 'link')
    await scene.run('staff', 'add', 'Anna', '--email', 'anna@example.com', '--role', 'operator')
    for (const id of [1, 2]) await givePassword(id)
  }

  test('console link is for the first one, and says so; --email selects another', async () => {
    await twoOperators()
    const { out, err } = await scene.run('console', 'link')
    expect(err).toBe('For operator, the first of 2 operators. --email is for another one.')
    expect(await recipientOf(out)).toBe('operator')
    const other = await scene.run('console', 'link', '--email', 'anna@example.com')
    expect([other.err, await recipientOf(other.out)]).toEqual(['', 'Anna'])
    expect((await scene.run('console', 'link', '--email', 'mia@example.com')).status).toBe(1)
  })

  test('console reset removes the password of one operator only', async () => {
    await twoOperators()
    const { out, err } = await scene.run('console', 'reset', '--email', 'anna@example.com')
    expect([err, await recipientOf(out)]).toEqual([
      'Password, passkeys and identities removed. Sessions ended: 0.',
      'Anna',
    ])
    const db = openDb(scene.path('tollgate.db'))
    expect([await hashOf(db, 1), await hashOf(db, 2)]).toEqual(['$argon2id$x', undefined])
    await db.close()
  })

  test.each(['link', 'reset'])(
    'console %s is refused for a disabled person, and changes nothing',
    async (verb) => {
      await twoOperators()
      await scene.run('staff', 'disable', 'anna@example.com')
      const refused = await scene.run('console', verb, '--email', 'anna@example.com')
      expect([refused.status, refused.out, refused.err]).toEqual([
        1,
        '',
        expect.stringContaining('Anna is disabled and cannot sign in. Enable them first.'),
      ])
      const db = openDb(scene.path('tollgate.db'))
      expect(await hashOf(db, 2)).toBe('$argon2id$x')
      await db.close()
    },
  )

  test('the first one can be removed if the other can sign in, who becomes the first', async () => {
    await twoOperators()
    expect((await scene.run('staff', 'remove', '1')).status).toBe(0)
    expect(await recipientOf((await scene.run('console', 'link')).out)).toBe('Anna')
  })
})

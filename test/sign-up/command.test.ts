// `sign-up` on the command line: invitations are created, listed and revoked.
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { sceneOfEachTest } from '../app/commands/scene.ts'

const scene = sceneOfEachTest(() => {})

const setMode = (mode: string) =>
  writeFileSync(
    scene.path('tollgate.toml'),
    FIRST_CATALOGUE.replace('#public_url', 'public_url')
      .replace(/#\[mail\]\n#smtp = .*\n#from/, '[mail]\nsmtp = "env:SMTP_URL"\nfrom')
      .replace(/#\[sign_up\]\n#mode = .*/, `[sign_up]\nmode = "${mode}"`),
  )

test('an invitation is a link for a number of uses, or a mail to one address, whose link is not printed', async () => {
  setMode('invitation')
  const link = await scene.json('sign-up', 'invite', '--uses', '20', '--expires', '30d')
  expect(link).toMatchObject({
    id: 1,
    mailed_to: null,
    uses: 20,
    url: expect.stringMatching(/\/console\/sign-up#[\w-]{32}$/),
  })
  expect(Date.parse(link.expires_at) - scene.now_ms).toBe(30 * 86_400_000)
  const { out } = await scene.run('sign-up', 'invite', '--email', 'Anna@example.org')
  expect(out).toStartWith('Invitation queued to anna@example.org.')
  expect(out).not.toContain('sign-up#')
  expect((await scene.json('mail', 'list')).mails).toMatchObject([
    { purpose: 'sign_up_invitation', recipient: 'anna@example.org', state: 'queued' },
  ])
  expect((await scene.json('sign-up', 'invitations')).invitations).toMatchObject([
    { id: 2, email: 'anna@example.org', state: 'open', uses: 0, max_uses: 1 },
    { id: 1, email: null, state: 'open', max_uses: 20 },
  ])
})

test('an invitation is revoked once', async () => {
  setMode('invitation')
  await scene.run('sign-up', 'invite')
  expect((await scene.run('sign-up', 'revoke', '1')).out).toBe('Invitation 1 revoked.')
  expect((await scene.json('sign-up', 'invitations')).invitations).toMatchObject([
    { id: 1, state: 'revoked' },
  ])
  for (const id of ['1', '9', '0', 'x']) expect((await scene.run('sign-up', 'revoke', id)).status).not.toBe(0)
  expect((await scene.json('audit-log')).actions.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['sign_up.invited', 'sign_up.invitation_revoked']),
  )
})

test.each([
  [['--email', 'nonsense']],
  [['--email', 'a@example.org', '--uses', '2']],
  [['--uses', '0']],
  [['--uses', '10001']],
  [['--expires', '400d']],
  [['--expires', 'soon']],
])('invite %p is refused', async (args) => {
  setMode('invitation')
  expect((await scene.run('sign-up', 'invite', ...args)).status).not.toBe(0)
  expect((await scene.json('sign-up', 'invitations')).invitations).toEqual([])
})

test('while sign-up is closed, `invite` is refused with the setting to change', async () => {
  const { status, err } = await scene.run('sign-up', 'invite')
  expect(status).not.toBe(0)
  expect(err).toContain('Set mode = "invitation" in [sign_up]')
  expect((await scene.run('sign-up', 'list')).out).toBe('No sign-ups.')
})

// `mail` and `account invite`: the mails that they queue, their output, and the doctor's check of the mail server.
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { sceneOfEachTest } from '../app/commands/scene.ts'
import { startSmtp } from '../support/smtp.ts'

const scene = sceneOfEachTest(async (scene) => {
  await scene.run('account', 'create', 'alice')
  await scene.run('account', 'change', 'alice', '--email', 'alice@example.org')
})

/** @param smtp the value in the catalogue */
const setMail = (smtp: string) =>
  writeFileSync(
    scene.path('tollgate.toml'),
    FIRST_CATALOGUE.replace('#public_url', 'public_url').replace(
      /#\[mail\]\n#smtp = .*\n#from/,
      `[mail]\nsmtp = "${smtp}"\nfrom`,
    ),
  )

test('an invitation is queued for the gateway, which has the variable, and its link is not printed', async () => {
  setMail('env:SMTP_URL')
  const { status, out } = await scene.run('account', 'invite', 'alice')
  expect(status).toBe(0)
  expect(out).toStartWith('Invitation queued to alice@example.org.')
  expect(out).not.toContain('invitation#')
  expect(await scene.json('account', 'invite', 'alice')).toMatchObject({
    url: null,
    mailed_to: 'alice@example.org',
  })
  const { mails } = await scene.json('mail', 'list')
  // The newer mail replaces the older one.
  expect(mails).toMatchObject([
    { id: 2, purpose: 'invitation', account: 'alice', state: 'queued', attempts: 0 },
    { id: 1, state: 'cancelled', failure: 'A newer link replaced it.' },
  ])
  expect(JSON.stringify(mails)).not.toContain('invitation#')
  expect((await scene.run('mail', 'list', '--state', 'queued')).out).toContain('Invitation')
})

test('an invitation is printed with --link, without a mail server, or without an address', async () => {
  const isLink = expect.stringMatching(/\/console\/invitation#[\w-]{32}$/)
  expect(await scene.json('account', 'invite', 'alice')).toMatchObject({ url: isLink, mailed_to: null })
  setMail('env:SMTP_URL')
  expect((await scene.run('account', 'invite', 'alice', '--link')).out).toEqual(isLink)
  await scene.run('account', 'create', 'bert')
  const printed = await scene.run('account', 'invite', 'bert')
  expect(printed.out).toEqual(isLink)
  expect(printed.err).toContain('bert has no email address to mail the link to: pass it on yourself.')
  expect((await scene.run('mail', 'list')).out).toBe('No mails.')
})

test('a newer link, printed or to another address, cancels a queued mail', async () => {
  setMail('env:SMTP_URL')
  await scene.run('account', 'invite', 'alice')
  await scene.run('account', 'change', 'alice', '--email', 'alice@new.example.org')
  await scene.run('account', 'invite', 'alice')
  const states = async () => {
    const { mails } = await scene.json('mail', 'list')
    return mails.map(({ recipient, state }: Record<string, string>) => [recipient, state])
  }
  expect(await states()).toEqual([
    ['alice@new.example.org', 'queued'],
    ['alice@example.org', 'cancelled'],
  ])
  await scene.run('account', 'invite', 'alice', '--link')
  expect(await states()).toEqual([
    ['alice@new.example.org', 'cancelled'],
    ['alice@example.org', 'cancelled'],
  ])
})

test('a start is refused without public_url', async () => {
  writeFileSync(scene.path('tollgate.toml'), `[mail]\nsmtp = "smtp://localhost"\nfrom = "a@b.example"\n`)
  expect((await scene.run('config', 'check')).err).toContain(
    'needs public_url in [server], since links in mails lead there',
  )
})

test('a test mail is sent at once; retry and delete work only for failed mails', async () => {
  await using smtp = await startSmtp()
  setMail(`smtp://127.0.0.1:${smtp.port}`)
  const { status, out } = await scene.run('mail', 'test', 'me@example.org')
  expect([status, out]).toEqual([0, expect.stringContaining('took the test mail to me@example.org')])
  expect(smtp.received).toHaveLength(1)
  smtp.script.rcpt = [550, 'no']
  expect((await scene.run('mail', 'test', 'me@example.org')).status).toBe(1)
  expect(await scene.refusal('mail', 'test', 'nobody')).toContain('is not an email address')
  expect(await scene.refusal('mail', 'retry', '7')).toContain('Mail not found')
  expect((await scene.run('mail', 'delete', 'x')).status).toBe(2)
  expect((await scene.run('mail', 'unsubscribed')).out).toBe('Nobody unsubscribed.')
})

test('the doctor connects, greets and signs in, and sends nothing', async () => {
  await using smtp = await startSmtp({ script: { password: 'right' } })
  const diagnosis = async (address: string) => {
    setMail(address)
    const { out } = await scene.run('doctor', '--only', 'mail', '--json')
    return JSON.parse(out).findings.filter(({ check }: { check: string }) => check === 'mail server')
  }
  const { port } = smtp
  expect(await diagnosis(`smtp://mailer:right@127.0.0.1:${port}`)).toMatchObject([
    {
      check: 'mail server',
      level: 'ok',
      found: `127.0.0.1:${port} answers, signed in as mailer; mails are from noreply@example.com`,
    },
  ])
  const [wrong] = await diagnosis(`smtp://mailer:wrong-password@127.0.0.1:${port}`)
  expect(wrong).toMatchObject({
    level: 'fail',
    advice: expect.stringContaining('Check the user and the password'),
  })
  expect(JSON.stringify(wrong)).not.toContain('wrong-password')
  expect(await diagnosis('env:SMTP_URL')).toMatchObject([
    { level: 'warn', found: expect.stringContaining('SMTP_URL is not set') },
  ])
  expect([smtp.received, smtp.connections() >= 2]).toEqual([[], true])
})

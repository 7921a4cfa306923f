// Mail in a running gateway: invitations by mail or as a link, the list, retries and test in the console, and the link to unsubscribe.
import { describe, expect, test } from 'bun:test'
import { changeDetails } from '../../src/access/account-details.ts'
import { clientOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileScene } from '../support/scene.ts'
import { startSmtp } from '../support/smtp.ts'

const smtp = await startSmtp()
const mailSection = (port: number) =>
  `[mail]\nsmtp = "smtp://127.0.0.1:${port}"\nfrom = "Example AI <noreply@example.com>"`
const { gateway, recatalogue } = await fileScene({
  server: 'public_url = "https://gateway.example.com"',
  more: mailSection(smtp.port),
})
const operator = await signedIn(gateway, 'operator')
const anna = await gateway.account('anna')
await gateway.account('bert')
await changeDetails(gateway.store, 'anna', { email: 'anna@example.org' })

/** The received mails, once `count` of them have arrived and none is queued. */
async function received(count: number) {
  await eventually(`${count} mails are sent`, () => {
    const waits = gateway.db.query("SELECT 1 FROM mails WHERE state = 'queued'").get() !== null
    return smtp.received.length >= count && !waits
  })
  return smtp.received
}
const refusalOf = async (method: string, path: string, body?: unknown) => {
  const answer = await operator.send(method, path, body === undefined ? {} : { body })
  const { error } = (await answer.json()) as { error: { message: string } }
  return [answer.status, error.message] as const
}

describe('an invitation', () => {
  let token = ''

  test('is mailed to an account with an address, and its link appears nowhere else', async () => {
    const answer = await operator.json('POST', '/invitations', { account: 'anna' })
    expect(answer).toMatchObject({ account: 'anna', url: null, mailed_to: 'anna@example.org' })
    const [mail] = await received(1)
    const [link = ''] =
      /https:\/\/gateway\.example\.com\/console\/invitation#\S+/.exec(mail?.text ?? '') ?? []
    token = new URL(link).hash.slice(1)
    const look = await operator.json('POST', '/links/look', { token })
    expect(look).toMatchObject({ role: 'account', account: 'anna', has_password: false })
    expect(gateway.log.text()).not.toContain(token)
  })

  test('for an account with a password is a mail to set a new one', async () => {
    await clientOf(gateway).json('POST', '/links/accept', { token, password: 'a password of anna’s' })
    await operator.json('POST', '/invitations', { account: 'anna' })
    const mails = await received(2)
    expect(mails[1]?.header('subject')).toBe('Set a new password for Tollgate')
  })

  test('is a link on request, or for an account without an address', async () => {
    for (const body of [{ account: 'anna', as_link: true }, { account: 'bert' }])
      expect(await operator.json('POST', '/invitations', body)).toMatchObject({
        mailed_to: null,
        url: expect.stringMatching(/^https:\/\/gateway\.example\.com\/console\/invitation#[\w-]{32}$/),
      })
    expect(smtp.received).toHaveLength(2)
  })
})

describe('the list', () => {
  test('has the sent mails, newest first, without links, tokens and Message-IDs', async () => {
    const { mails } = await operator.json('GET', '/mails')
    expect(mails).toMatchObject([
      { id: 2, purpose: 'reset', title: 'Password reset', account: 'anna', state: 'sent', attempts: 1 },
      { id: 1, purpose: 'invitation', recipient: 'anna@example.org', state: 'sent', failure: null },
    ])
    expect(Object.keys(mails[0])).not.toContainAnyValues(['link', 'message_id', 'request_key', 'fields'])
    expect((await operator.json('GET', '/mails?state=failed')).mails).toEqual([])
    const csv = await (await operator.send('GET', '/mails.csv')).text()
    expect(csv.trim().split('\n')).toHaveLength(3)
    expect(csv).not.toContain('invitation#')
  })

  test('is only for the operator', async () => {
    const account = await signedIn(gateway, { account: 'anna' })
    for (const path of ['/mails', '/mails.csv', '/mail-unsubscribed'])
      expect((await account.send('GET', path)).status).toBe(403)
  })

  test('lets the operator retry or delete failed mails only', async () => {
    expect(await refusalOf('POST', '/mails/1/retry')).toEqual([
      409,
      expect.stringContaining('Mail 1 is sent'),
    ])
    expect(await refusalOf('DELETE', '/mails/99')).toEqual([404, 'Mail not found. See the list of mails.'])
    gateway.db.run(
      `INSERT INTO mails VALUES (3, ${anna.id}, 'k3', 'key_expiring', '{"account":"anna","key":"k","prefix":"tg_x","expires_at_ms":0}', 'anna@example.org', 'en', NULL, NULL, 'm3', 'failed', 8, 0, NULL, NULL, 'away')`,
    )
    gateway.db.run(
      "INSERT INTO mails SELECT 4, account_id, 'k4', purpose, fields, recipient, 'en', NULL, NULL, 'm4', 'failed', 8, 0, NULL, NULL, 'away' FROM mails WHERE id = 3",
    )
    await operator.json('POST', '/mails/3/retry')
    await operator.json('DELETE', '/mails/4')
    expect((await received(3))[2]?.header('subject')).toStartWith('API key "k" expires on')
    expect((await operator.json('GET', '/audit-log')).actions.slice(0, 2)).toMatchObject([
      { action: 'mail.deleted', account: 'anna', before: { mail: 4 } },
      { action: 'mail.retried', account: 'anna', before: { mail: 3 } },
    ])
  })
})

describe('the link to unsubscribe', () => {
  const linkOf = async (): Promise<URL> => {
    const mails = await received(3)
    const [, link = ''] = /<([^>]+)>/.exec(mails[2]?.header('list-unsubscribe') ?? '') ?? []
    const { pathname, search } = new URL(link)
    return new URL(pathname + search, gateway.url)
  }
  const unsubscribed = async () => (await operator.json('GET', '/mail-unsubscribed')).unsubscribed

  test('changes nothing by the GET and HEAD requests of a scanner', async () => {
    const link = await linkOf()
    for (const method of ['GET', 'GET', 'HEAD']) expect((await fetch(link, { method })).status).toBe(200)
    const page = await (await fetch(link)).text()
    expect(page).toContain('Unsubscribe from notices?')
    expect(page).toContain('<form method="post"')
    expect(page).not.toContain('<script')
    expect(await unsubscribed()).toEqual([])
  })

  test('unsubscribes by one click of a mail program, and the button subscribes again', async () => {
    const link = await linkOf()
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    const answer = await fetch(link, { method: 'POST', body })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const page = await answer.text()
    expect(page).toContain('You are unsubscribed')
    expect(await unsubscribed()).toMatchObject([{ account: 'anna', recipient: 'anna@example.org' }])
    const [, again = ''] = /action="([^"]+)"/.exec(page) ?? []
    const renewed = await fetch(new URL(again.replaceAll('&amp;', '&'), link), { method: 'POST' })
    expect(await renewed.text()).toContain('You are subscribed again')
    expect(await unsubscribed()).toEqual([])
  })

  test.each(['?token=unknown', '?token=', '', '?token=x&account=1'])('%p changes nothing', async (query) => {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(new URL(`/mail/unsubscribe${query}`, gateway.url), { method })
      expect([400, 404]).toContain(answer.status)
    }
    expect(await unsubscribed()).toEqual([])
  })
})

describe('the test of the mail server', () => {
  test('sends one mail at once, and says that the server accepted it', async () => {
    const before = smtp.received.length
    const result = await operator.json('POST', '/mail-test', { to: 'me@example.org' })
    expect(result).toEqual({
      failure: null,
      sentence: `127.0.0.1:${smtp.port} took the test mail to me@example.org. If it does not arrive, look in the spam folder.`,
    })
    expect(smtp.received[before]?.header('subject')).toBe('Test mail from Tollgate')
  })

  test('shows the reason of a refusal, and the remedy', async () => {
    smtp.script.rcpt = [550, '5.7.1 relaying denied']
    const { failure, sentence } = await operator.json('POST', '/mail-test', { to: 'me@example.org' })
    delete smtp.script.rcpt
    expect(failure).toBe(`Recipient refused by 127.0.0.1:${smtp.port}: 550 5.7.1 relaying denied`)
    expect(sentence).toContain('allow this server to relay')
    expect(await refusalOf('POST', '/mail-test', { to: 'nobody' })).toEqual([
      400,
      expect.stringContaining('is not an email address'),
    ])
  })

  test('is refused without a mail server, and invitations are links', async () => {
    await recatalogue({ server: 'public_url = "https://gateway.example.com"' })
    expect(await refusalOf('POST', '/mail-test', { to: 'me@example.org' })).toEqual([
      409,
      'No mail server is set. Set one, with a sender, first.',
    ])
    expect(await operator.json('POST', '/invitations', { account: 'anna' })).toMatchObject({
      mailed_to: null,
    })
    await smtp[Symbol.asyncDispose]()
  })
})

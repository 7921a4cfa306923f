// The sending of mails to a real mail server: delivery once, retries for a day, deletion of secrets, and headers without injection.
import { describe, expect, test } from 'bun:test'
import { cancelLinks } from '../../plugins/mail/queue.ts'
import { MAX_WAIT_MS, RETRY_AFTER_MS, TAKEN_FOR_MS } from '../../plugins/mail/sender.ts'
import { readServer } from '../../plugins/mail/settings.ts'
import { smtpClient } from '../../plugins/mail/smtp.ts'
import { deleteMail, retryMail, setSubscription, sweepMails } from '../../plugins/mail/store.ts'
import { SMTP_AUTHORITY, startSmtp } from '../support/smtp.ts'
import { INVITATION, LOW, mailScene } from './scene.ts'

const DAY_MS = 86_400_000

describe('a mail', () => {
  test('arrives once, with its link, which is deleted from the database', async () => {
    await using scene = await mailScene()
    expect(await scene.queue()).toBe(true)
    expect((await scene.rows())[0]?.link).toContain('SECRET-TOKEN')
    await scene.open().sendDue()
    await scene.open().sendDue()
    const [mail, ...others] = scene.server.received
    expect(others).toEqual([])
    expect([mail?.from, mail?.to]).toEqual(['noreply@example.com', ['anna@example.org']])
    expect(mail?.header('subject')).toBe('Your invitation to Tollgate')
    expect(mail?.header('from')).toBe('Example AI <noreply@example.com>')
    expect(mail?.header('auto-submitted')).toBe('auto-generated')
    const link = 'https://gateway.example.com/console/invitation#SECRET-TOKEN-0123456789'
    expect(mail?.text).toContain(`Accept invitation:\n${link}\n`)
    expect(mail?.html).toContain(`<a href="${link}"`)
    expect(await scene.rows()).toMatchObject([
      {
        state: 'sent',
        attempts: 1,
        link: null,
        next_at_ms: null,
        sent_at_ms: scene.clock.now_ms,
        failure: null,
      },
    ])
    expect(scene.log.text()).not.toContain('SECRET-TOKEN')
  })

  test('is queued once for a repeated request', async () => {
    await using scene = await mailScene()
    expect([await scene.queue(), await scene.queue(), await scene.queue(LOW)]).toEqual([true, false, true])
    await scene.open().sendDue()
    expect((await scene.rows()).map(({ state, failure }) => [state, failure])).toEqual([
      ['sent', null],
      ['sent', null],
    ])
    expect(scene.server.received).toHaveLength(2)
  })

  test('is not sent if its transaction is rolled back', async () => {
    await using scene = await mailScene()
    const undone = scene.db.begin(async (tx) => {
      const { queueMail } = await import('../../plugins/mail/queue.ts')
      await queueMail(tx, INVITATION, scene.clock.now_ms)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await scene.open().sendDue()
    expect([scene.server.received, await scene.rows()]).toEqual([[], []])
  })

  test('with a link replaces an earlier one that was not sent', async () => {
    await using scene = await mailScene()
    await scene.queue()
    await scene.queue({ ...INVITATION, to: 'bert@example.org', request_key: 'invitation:2' })
    await scene.queue({
      ...INVITATION,
      link: { ...INVITATION.link, path: '/console/invitation#NEW' },
      request_key: 'invitation:3',
    })
    await scene.open().sendDue()
    expect(scene.server.received.map(({ to, text }) => [to[0], text.includes('#NEW')])).toEqual([
      ['bert@example.org', false],
      ['anna@example.org', true],
    ])
    expect((await scene.rows())[0]).toMatchObject({
      state: 'cancelled',
      link: null,
      failure: 'A newer link replaced it.',
    })
  })

  test('with a link to a team is not cancelled with the invitation to the account', async () => {
    await using scene = await mailScene()
    const join = { ...INVITATION.link, path: '/console/join#TEAM' }
    await scene.queue({ ...INVITATION, link: join, request_key: 'member-invitation:1' })
    await scene.queue()
    await scene.db.begin((tx) =>
      cancelLinks(tx, { account_id: INVITATION.account_id, page: '/console/invitation' }),
    )
    await scene.open().sendDue()
    expect(scene.server.received.map(({ text }) => text.includes('#TEAM'))).toEqual([true])
    expect((await scene.rows()).map(({ state }) => state)).toEqual(['sent', 'cancelled'])
  })

  test('with an expired link is not sent', async () => {
    await using scene = await mailScene()
    await scene.queue({ ...INVITATION, link: { ...INVITATION.link, expires_at_ms: scene.clock.now_ms } })
    await scene.open().sendDue()
    expect(scene.server.received).toEqual([])
    expect(await scene.rows()).toMatchObject([{ state: 'cancelled', link: null }])
  })

  test.each([
    'anna',
    'anna@',
    'anna@example.org\r\nBcc: all@example.org',
    'a b@example.org',
    '<anna@example.org>',
    'a,b@example.org',
    `${'x'.repeat(65)}@example.org`,
  ])('to %p is refused', async (to) => {
    await using scene = await mailScene()
    await expect(scene.queue({ ...INVITATION, to })).rejects.toThrow('is not an email address')
    expect(await scene.rows()).toEqual([])
  })
})

describe('a refusal', () => {
  test('that is temporary (4xx) is retried with the same Message-ID', async () => {
    await using scene = await mailScene({ script: { data: [451, '4.3.0 try later'] } })
    await scene.queue()
    await scene.open().sendDue()
    const { port } = scene.server
    expect(await scene.rows()).toMatchObject([
      {
        state: 'queued',
        attempts: 1,
        next_at_ms: scene.clock.now_ms + RETRY_AFTER_MS[0],
        failure: `Message refused by 127.0.0.1:${port}: 451 4.3.0 try later`,
      },
    ])
    delete scene.server.script.data
    scene.later(RETRY_AFTER_MS[0] - 1)
    await scene.open().sendDue()
    expect(scene.server.received).toEqual([])
    scene.later(1)
    await scene.open().sendDue()
    const [row] = await scene.rows()
    expect(scene.server.received.map((mail) => mail.header('message-id'))).toEqual([
      `<${row?.message_id}@example.com>`,
    ])
    expect(row).toMatchObject({ state: 'sent', attempts: 2, link: null })
  })

  test.each([
    ['of the recipient', { rcpt: [550, '5.1.1 no such user'] }, 'Recipient refused by'],
    ['of the message', { data: [554, '5.7.1 spam'] }, 'Message refused by'],
  ] as const)('%s that is permanent (5xx) is not retried', async (_, script, lead) => {
    await using scene = await mailScene({ script: { ...script } as never })
    await scene.queue()
    await scene.open().sendDue()
    scene.later(2 * DAY_MS)
    await scene.open().sendDue()
    expect(scene.server.connections()).toBe(1)
    const [row] = await scene.rows()
    expect(row).toMatchObject({ state: 'failed', attempts: 1, link: null, next_at_ms: null })
    expect(row?.failure).toStartWith(lead)
  })

  test('of the sender is retried, because the operator can correct it', async () => {
    await using scene = await mailScene({ script: { from: [553, '5.7.1 not your address'] } })
    await scene.queue()
    await scene.open().sendDue()
    delete scene.server.script.from
    scene.later(RETRY_AFTER_MS[0])
    await scene.open().sendDue()
    expect(scene.server.received).toHaveLength(1)
  })

  test('is retried for a day, after which the mail fails and loses its link', async () => {
    await using scene = await mailScene({ script: { data: [451, 'later'] } })
    await scene.queue()
    for (const after_ms of [0, ...RETRY_AFTER_MS]) {
      scene.later(after_ms)
      await scene.open().sendDue()
    }
    expect(await scene.rows()).toMatchObject([
      { state: 'failed', attempts: RETRY_AFTER_MS.length + 1, link: null },
    ])
    const sum_ms = RETRY_AFTER_MS.reduce((sum, ms) => sum + ms, 0)
    expect([sum_ms > 0.9 * DAY_MS, sum_ms <= DAY_MS]).toEqual([true, true])
  })
})

describe('the server', () => {
  test('that refuses the password is reported without it, and the right one delivers', async () => {
    await using scene = await mailScene({ script: { password: 'right-p@ss' } })
    const { port } = scene.server
    scene.state.smtp = `smtp://mailer:wrong-p%40ss@127.0.0.1:${port}`
    await scene.queue()
    await scene.open().sendDue()
    const [row] = await scene.rows()
    expect(row).toMatchObject({ state: 'queued', attempts: 1 })
    expect(row?.failure).toStartWith(`Sign-in refused by 127.0.0.1:${port}: 535`)
    expect(row?.failure).not.toContain('wrong-p@ss')
    expect(scene.log.text()).not.toContain('wrong-p@ss')
    scene.state.smtp = `smtp://mailer:right-p%40ss@127.0.0.1:${port}`
    scene.later(RETRY_AFTER_MS[0])
    await scene.open().sendDue()
    expect(scene.server.received).toMatchObject([{ user: 'mailer' }])
  })

  test('gets the mail once it is back from an outage', async () => {
    await using scene = await mailScene()
    const { port } = scene.server
    await scene.server[Symbol.asyncDispose]()
    await scene.queue()
    await scene.open().sendDue()
    expect((await scene.rows())[0]?.failure).toStartWith(`No connection to 127.0.0.1:${port}`)
    await using back = await startSmtp({ port })
    scene.later(RETRY_AFTER_MS[0])
    await scene.open().sendDue()
    expect(back.received).toHaveLength(1)
  })

  test('that does not respond causes a timeout', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const server = readServer(`smtp://127.0.0.1:${silent.port}`)
    if (!server) throw new Error('no address')
    await expect(smtpClient(server, { connect_ms: 50 }).look()).rejects.toThrow('No connection to')
    await expect(smtpClient(server, { attempt_ms: 50 }).look()).rejects.toThrow('it took longer than')
    silent.stop(true)
  })

  const MESSAGE = {
    from: { name: '', address: 'a@example.com' },
    to: 'b@example.com',
    subject: 's',
    text: 't',
    html: '<p>t',
    message_id: '<x@example.com>',
    headers: {},
  }
  const clientFor = (address: string, ca?: string) => {
    const server = readServer(address)
    if (!server) throw new Error('no address')
    return smtpClient(server, { ca, connect_ms: 2_000 })
  }

  test('with TLS from the first byte needs a trusted certificate', async () => {
    await using server = await startSmtp({ tls: true })
    const address = `smtps://localhost:${server.port}`
    await expect(clientFor(address).send(MESSAGE)).rejects.toThrow(/No (TLS|connection) (with|to) localhost/)
    expect(server.received).toEqual([])
    await clientFor(address, SMTP_AUTHORITY).send(MESSAGE)
    expect(server.received).toMatchObject([{ is_secure: true, to: ['b@example.com'] }])
  })

  // The client does not know that this name belongs to this machine.
  test('on another machine gets mails by STARTTLS', async () => {
    await using server = await startSmtp({ host: 'localhost', starttls: true })
    await clientFor(`smtp://LOCALHOST:${server.port}`, SMTP_AUTHORITY).send(MESSAGE)
    expect(server.received).toMatchObject([{ is_secure: true, to: ['b@example.com'] }])
  })

  // The client does not know that 0.0.0.0 is this machine.
  test('on another machine gets nothing without STARTTLS, or with a certificate of another name', async () => {
    await using plain = await startSmtp({ host: '0.0.0.0' })
    await expect(clientFor(`smtp://0.0.0.0:${plain.port}`).send(MESSAGE)).rejects.toThrow(
      'No TLS with 0.0.0.0',
    )
    await using server = await startSmtp({ host: '0.0.0.0', starttls: true })
    await expect(clientFor(`smtp://0.0.0.0:${server.port}`, SMTP_AUTHORITY).send(MESSAGE)).rejects.toThrow(
      /No (TLS|connection) (with|to) 0\.0\.0\.0/,
    )
    expect([plain.received, server.received]).toEqual([[], []])
  })
})

describe('a chosen name', () => {
  test('cannot inject a header, a line or an HTML element', async () => {
    await using scene = await mailScene()
    const account = 'anna\r\nBcc: all@example.org\r\n\r\n<script>alert(1)</script> раураl'
    await scene.queue({ ...LOW, fields: { ...LOW.fields, account } })
    await scene.open().sendDue()
    const [mail] = scene.server.received
    expect(mail?.to).toEqual(['anna@example.org'])
    expect(mail?.header('bcc')).toBeUndefined()
    expect(mail?.header('subject')).toContain('anna\\u000d\\u000aBcc: all@example.org')
    // Letters of other scripts are kept.
    expect(mail?.text).toContain('раураl')
    expect(mail?.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(mail?.html).not.toContain('<script')
  })
})

describe('a notice', () => {
  test('has a link to unsubscribe in one click, after which no notice is sent', async () => {
    await using scene = await mailScene()
    await scene.queue(LOW)
    await scene.open().sendDue()
    const [mail] = scene.server.received
    const link = 'https://gateway.example.com/mail/unsubscribe?token=unsubscribe-1'
    expect(mail?.header('list-unsubscribe')).toBe(`<${link}>`)
    expect(mail?.header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect(mail?.text).toContain(link)
    expect(await setSubscription(scene.db, 'unsubscribe-1', 5)).toBe(true)
    await scene.queue({ ...LOW, request_key: 'low_balance:2' })
    // A notice of another account to the same address.
    await scene.db.write((db) =>
      db.rows(
        "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (2, 'bert', 'active', 0, 0, 0, 0)",
      ),
    )
    await scene.queue({ ...LOW, account_id: 2, request_key: 'low_balance:3' })
    await scene.queue({ ...INVITATION, account_id: 1 })
    await scene.open().sendDue()
    const others = scene.server.received.slice(1)
    expect(others.flatMap((mail) => mail.header('list-unsubscribe') ?? [])).toEqual([
      '<https://gateway.example.com/mail/unsubscribe?token=unsubscribe-2>',
    ])
    expect(others).toHaveLength(2)
    expect((await scene.rows())[1]).toMatchObject({
      state: 'cancelled',
      failure: 'The recipient unsubscribed from notices.',
    })
  })
})

describe('a failed mail', () => {
  test('can be retried or deleted; one with a link cannot be retried', async () => {
    await using scene = await mailScene({ script: { rcpt: [550, 'no'] } })
    const now_ms = scene.clock.now_ms
    for (const mail of [LOW, { ...LOW, request_key: 'low_balance:2' }, INVITATION]) await scene.queue(mail)
    await scene.queue({ ...LOW, request_key: 'low_balance:3' })
    await scene.open().sendDue()
    delete scene.server.script.rcpt
    await scene.db.begin((tx) => retryMail(tx, 1, now_ms))
    await scene.db.begin((tx) => deleteMail(tx, 2))
    await expect(scene.db.begin((tx) => retryMail(tx, 3, now_ms))).rejects.toThrow('Its link was deleted')
    await expect(scene.db.begin((tx) => deleteMail(tx, 1))).rejects.toThrow('Mail 1 is queued')
    await expect(scene.db.begin((tx) => retryMail(tx, 99, now_ms))).rejects.toThrow('Mail not found')
    await scene.open().sendDue()
    expect(scene.server.received).toHaveLength(1)
    expect((await scene.rows()).map(({ id, state, attempts }) => [id, state, attempts])).toEqual([
      [1, 'sent', 1],
      [3, 'failed', 1],
      [4, 'failed', 1],
    ])
    const log = await scene.db.rows<{ action: string }>('SELECT action FROM actions ORDER BY id')
    expect(log.map(({ action }) => action)).toEqual(['mail.retried', 'mail.deleted'])
  })

  test('is deleted after 90 days, as are all mails except queued ones', async () => {
    await using scene = await mailScene()
    await scene.queue(LOW)
    await scene.open().sendDue()
    await scene.queue({ ...LOW, request_key: 'low_balance:2' })
    await sweepMails(scene.db, scene.clock.now_ms + 90 * DAY_MS)
    expect(await scene.rows()).toHaveLength(2)
    await sweepMails(scene.db, scene.clock.now_ms + 90 * DAY_MS + 1)
    expect((await scene.rows()).map(({ state }) => state)).toEqual(['queued'])
  })
})

describe('a gateway', () => {
  test('that dies while it sends leaves the mail to another one, with the same Message-ID', async () => {
    const taking = Promise.withResolvers<void>()
    const never = Promise.withResolvers<void>()
    await using scene = await mailScene({
      script: {
        beforeTaking: () => {
          taking.resolve()
          return never.promise
        },
      },
    })
    await scene.queue()
    const died = scene.open().sendDue()
    await taking.promise
    // The first one still owns the mail.
    await scene.open().sendDue()
    expect(scene.server.connections()).toBe(1)
    delete scene.server.script.beforeTaking
    scene.later(TAKEN_FOR_MS)
    await scene.open().sendDue()
    expect(scene.server.received).toHaveLength(1)
    // The first one was alive after all: the server receives the mail twice, with one Message-ID, and the row stays sent.
    never.resolve()
    await died
    const [one, other] = scene.server.received.map((mail) => mail.header('message-id'))
    expect(one).toBe(other)
    expect(await scene.rows()).toMatchObject([{ state: 'sent', attempts: 2, link: null }])
  })

  test('that stops waits for the mail that it sends, and starts no other', async () => {
    const taking = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    await using scene = await mailScene({
      script: {
        beforeTaking: () => {
          taking.resolve()
          return go.promise
        },
      },
    })
    await scene.queue()
    const sender = scene.open()
    const sending = sender.sendDue()
    await taking.promise
    const stopped = sender.stop()
    await scene.queue(LOW)
    go.resolve()
    await Promise.all([sending, stopped])
    await sender.sendDue()
    expect((await scene.rows()).map(({ state }) => state)).toEqual(['sent', 'queued'])
  })

  test('without a mail server sends nothing, and a mail that waited for two days fails', async () => {
    await using scene = await mailScene()
    const { smtp } = scene.state
    scene.state.smtp = undefined
    await scene.queue()
    await scene.open().sendDue()
    expect(await scene.rows()).toMatchObject([{ state: 'queued', attempts: 0 }])
    scene.state.smtp = smtp
    scene.later(MAX_WAIT_MS + 1)
    await scene.open().sendDue()
    expect(scene.server.received).toEqual([])
    expect(await scene.rows()).toMatchObject([{ state: 'failed', link: null }])
  })
})

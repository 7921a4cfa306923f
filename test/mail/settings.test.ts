// The settings of mail: servers, senders, refusals with their messages, and hidden secrets.
import { describe, expect, test } from 'bun:test'
import { readSender } from '../../plugins/mail/address.ts'
import { mailSettings, NEEDS_PUBLIC_URL, readServer } from '../../plugins/mail/settings.ts'
import { isMailAddress } from '../../src/domain/mail-address.ts'

const SMTP = 'smtp://mailer:p%40ss%25word@mail.example.com'
const FROM = 'Example AI <noreply@example.com>'

/** Reads the section as in a catalogue. */
function read(
  text: object,
  { env = {}, public_url }: { env?: Record<string, string>; public_url?: string } = {},
) {
  const mistakes: string[] = []
  const warnings: string[] = []
  const server = { listen: '127.0.0.1:8080', ...(public_url !== undefined && { public_url }) }
  const settings = mailSettings.read(text, {
    env,
    server,
    file: {},
    report: (path, message) => mistakes.push(`${path.join('.')} ${message}`),
    warn: (path, message) => warnings.push(`${path.join('.')} ${message}`),
  })
  return { settings, mistakes, warnings }
}

const AT_HOME = { public_url: 'https://gateway.example.com' }

test('the server, with user and password, is read from the file or from a variable', () => {
  for (const [text, env] of [
    [SMTP, {}],
    ['env:SMTP_URL', { SMTP_URL: SMTP }],
  ] as const) {
    const { settings, mistakes } = read({ smtp: text, from: FROM }, { ...AT_HOME, env })
    expect(mistakes).toEqual([])
    expect(settings.sending).toEqual({
      server: {
        host: 'mail.example.com',
        port: 587,
        is_tls: false,
        credentials: { user: 'mailer', password: 'p@ss%word' },
      },
      from: { name: 'Example AI', address: 'noreply@example.com' },
    })
    const catalogue = { sections: new Map([['mail', settings]]) }
    expect(mailSettings.secretsOf(catalogue)).toEqual([SMTP, 'p@ss%word'])
  }
})

test('a mail server is refused without public_url', () => {
  expect(read({ smtp: SMTP, from: FROM }).mistakes).toEqual([`mail.smtp ${NEEDS_PUBLIC_URL}`])
})

test('a missing variable disables only mail', () => {
  const { settings, mistakes, warnings } = read({ smtp: 'env:SMTP_URL', from: FROM }, AT_HOME)
  expect([settings.sending, mistakes]).toEqual([undefined, []])
  expect(settings.unavailable).toBe('the environment variable SMTP_URL is not set')
  expect(warnings[0]).toContain('SMTP_URL, which is not set: no mails are sent')
})

test.each<[object, string]>([
  [{ smtp: SMTP }, 'mail.from is missing'],
  [{ smtp: SMTP, from: 'Example AI' }, 'mail.from must be an address'],
  [{ smtp: SMTP, from: 'A <a@b>\r\nBcc: c@d' }, 'mail.from must be an address'],
  [{ smtp: 'env:SMTP_URL', from: FROM }, 'mail.smtp must be a complete address'],
])('%j is refused', (text, words) => {
  const { mistakes, settings } = read(text, { ...AT_HOME, env: { SMTP_URL: 'mail.example.com:587' } })
  expect(mistakes.join()).toStartWith(words)
  expect(settings.sending).toBeUndefined()
})

test.each([
  'https://mail.example.com',
  'smtp://',
  'smtp://h/path',
  'smtp://h?x=1',
  'smtp://a:%zz@h',
  'smtp://h:99999',
])('%p is no mail server', (address) => expect(readServer(address)).toBeUndefined())

test('smtps has its own default port, and an IPv6 host has no brackets', () => {
  expect(readServer('smtps://mail.example.com')).toMatchObject({
    port: 465,
    is_tls: true,
    credentials: undefined,
  })
  expect(readServer('smtp://[::1]:2525')).toMatchObject({ host: '::1', port: 2525 })
})

describe('addresses', () => {
  test.each([
    'anna@example.com',
    'a.b+c@mail.example.co.uk',
    'root@localhost',
    'раураl@example.com',
    'o’neil@bücher.example',
  ])('%p is valid', (address) => expect(isMailAddress(address)).toBe(true))
  test.each([
    '',
    '@',
    'a@',
    '@b',
    'a b@c',
    'a@b c',
    'a@b\n',
    'a@-b',
    'a@b..c',
    'a@b@',
    '"a"@b',
    'a<b@c',
    'a,b@c',
    'a@[127.0.0.1]',
    'a@b\u202e',
  ])('%p is invalid', (address) => expect(isMailAddress(address)).toBe(false))
  test.each<[string, object | undefined]>([
    ['a@b.example', { name: '', address: 'a@b.example' }],
    ['"Example, Inc." <a@b.example>', { name: 'Example, Inc.', address: 'a@b.example' }],
    ['<a@b.example>', { name: '', address: 'a@b.example' }],
    ['a@b.example, c@d.example', undefined],
  ])('%p is read as a sender', (text, sender) => expect(readSender(text)).toEqual(sender as never))
})

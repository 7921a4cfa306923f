// The settings of sign-up: accepted values, and refusals with their messages.
import { describe, expect, test } from 'bun:test'
import { signUpSettings } from '../../plugins/sign-up/settings.ts'
import { faultsIn } from '../../src/domain/validation.ts'

const PRESETS = {
  mode: 'closed',
  email_domains: [],
  challenge: 'altcha',
  per_address_per_day: 5,
  per_domain_per_day: 50,
  mails_per_hour: 200,
  welcome_usd: 0,
}
const HOME = { public_url: 'https://gateway.example.com', mail: { smtp: 'env:SMTP_URL' } }

interface Around {
  public_url?: string
  mail?: object | undefined
  env?: Record<string, string>
}

/** Reads the section as in a catalogue. */
function read(text: object, { public_url, mail, env = {} }: Around = HOME) {
  const mistakes: string[] = []
  const warnings: string[] = []
  const settings = signUpSettings.read(
    { ...PRESETS, ...text },
    {
      env,
      server: { listen: '127.0.0.1:8080', ...(public_url !== undefined && { public_url }) },
      file: mail === undefined ? {} : { mail },
      report: (path, message) => mistakes.push(`${path.join('.')} ${message}`),
      warn: (path, message) => warnings.push(`${path.join('.')} ${message}`),
    },
  )
  return { settings, mistakes, warnings }
}

test('mode closed is the default, and needs no other setting', () => {
  expect(read({}, {})).toMatchObject({
    mistakes: [],
    warnings: [],
    settings: { mode: 'closed', challenge: { kind: 'altcha' } },
  })
})

describe.each(['open', 'invitation'])('mode %s', (mode) => {
  test('is accepted with a mail server and a public URL', () => {
    expect(read({ mode }).mistakes).toEqual([])
  })

  test('is refused without a mail server', () => {
    for (const mail of [undefined, {}, { from: 'a@b.c' }])
      expect(read({ mode }, { ...HOME, mail }).mistakes).toEqual([
        'sign_up.mode needs a mail server, since people confirm their address by a mail: set smtp in [mail]',
      ])
  })

  test('is refused without public_url', () => {
    expect(read({ mode }, { mail: HOME.mail }).mistakes).toEqual([
      'sign_up.mode needs public_url in [server], since links in mails lead there: set it to the https:// address of this gateway',
    ])
  })
})

test('the welcome credit is an amount to the nano-dollar', () => {
  expect(read({ welcome_usd: 2.5 }).settings.welcome_nanos).toBe(2_500_000_000)
  expect(read({ welcome_usd: 1e-10 })).toMatchObject({
    mistakes: ['sign_up.welcome_usd must be an amount in USD of at most nine decimals, such as 0.30'],
    settings: { welcome_nanos: 0 },
  })
})

describe('Turnstile', () => {
  const keys = { challenge: 'turnstile', turnstile_site_key: '0x4', turnstile_secret: 'env:TURNSTILE' }

  test('reads its secret from a variable', () => {
    const { settings, warnings } = read({ mode: 'open', ...keys }, { ...HOME, env: { TURNSTILE: 's' } })
    expect([settings.challenge, warnings]).toEqual([{ kind: 'turnstile', site_key: '0x4', secret: 's' }, []])
  })

  test('without its variable disables sign-up, with a warning', () => {
    const { settings, warnings, mistakes } = read({ mode: 'open', ...keys })
    expect([settings.challenge, mistakes]).toEqual([undefined, []])
    expect(warnings).toEqual([expect.stringContaining('nobody can sign up')])
  })

  test('needs both of its keys', () => {
    const { mistakes } = read({ challenge: 'turnstile' })
    expect(mistakes).toHaveLength(2)
    expect(mistakes.join()).toContain('turnstile_secret is missing')
  })
})

test.each([
  [{ mode: 'yes' }],
  [{ challenge: 'recaptcha' }],
  [{ email_domains: ['Example.com'] }],
  [{ email_domains: ['@example.com'] }],
  [{ email_domains: ['*'] }],
  [{ per_address_per_day: -1 }],
  [{ per_domain_per_day: 0.5 }],
  [{ disposable_domains: '../secrets' }],
  [{ disposable_domains: '/etc/passwd' }],
  [{ terms_version: '<b>' }],
  [{ credit_usd: 5 }],
  [{ welcome_usd: -1 }],
  [{ welcome_usd: '5' }],
  [{ welcome_usd: 10_001 }],
])('%p is refused', (text) => {
  expect(faultsIn(signUpSettings.schema, { ...PRESETS, ...text })).not.toEqual([])
})

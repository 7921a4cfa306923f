// Redaction: upstream addresses, keys, and messages that contain them never reach a caller or the log.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createRedactor, redactUrl, secretsOf } from '../../src/observe/redact.ts'

const OURS = 'tg_p-79rF0Gp2lM5m-WOL2XmhMpyS2IrKYS6mUJZQMCpwg'

describe('a key in a query string is redacted wherever a URL is written (silent.md, Credentials)', () => {
  const cases: [url: string, written: string][] = [
    ['/v1beta/models/m:generateContent?key=SECRET', '/v1beta/models/m:generateContent?key=[hidden]'],
    ['/x?alt=sse&key=SECRET', '/x?alt=sse&key=[hidden]'],
    ['/x?key=SECRET&alt=sse', '/x?key=[hidden]&alt=sse'],
    ['/x?key=SECRET&key=SECRET', '/x?key=[hidden]&key=[hidden]'],
    ['/x?key=SE;CRET?x=1', '/x?key=[hidden]'],
    ['/x?key=SECRET#top', '/x?key=[hidden]#top'],
    ['/x#key=SECRET', '/x#key=[hidden]'],
    ['/x?k%65y=SECRET', '/x?k%65y=[hidden]'],
    ['/x?KEY=SECRET', '/x?KEY=[hidden]'],
    ['/x?key+=SECRET', '/x?key+=[hidden]'],
    ['/x?x-goog-api-key=SECRET', '/x?x-goog-api-key=[hidden]'],
    ['/x?x-litellm-api-key=SECRET', '/x?x-litellm-api-key=[hidden]'],
    ['/x?access_token=SECRET', '/x?access_token=[hidden]'],
    ['https://user:SE@CRET@host/x?y=1', 'https://[hidden]@host/x?y=1'],
    ['/x?key=%zzSECRET', '/x?key=[hidden]'],
    ['/x?a?key=SECRET', '/x?a?key=[hidden]'],
  ]
  test.each(cases)('%s', (url, written) => {
    expect(redactUrl(url)).toBe(written)
    expect(redactUrl(url)).not.toContain('SECRET')
  })

  const untouched = ['/x', '/x?alt=sse', '/x?monkey=banana', '/x?keys=1', '/x?key', '/x?%zz=1', '/x@y?a=b']
  test.each(untouched)('%s contains no key and is unchanged', (url) => {
    expect(redactUrl(url)).toBe(url)
  })

  test('any value that URLSearchParams can carry is removed, and the other parameters stay (property)', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9 %&=?#;+/éß-]{1,20}$/u)
    fc.assert(
      fc.property(part, part, (secret, other) => {
        const query = new URLSearchParams([
          ['alt', other],
          ['key', `~${secret}~`],
          ['z', other],
        ])
        const written = new URL(`http://h/p?${query}`).href
        const params = new URL(redactUrl(written)).searchParams
        expect(params.get('key')).toBe('[hidden]')
        expect(params.get('alt')).toBe(other)
        expect(params.get('z')).toBe(other)
      }),
    )
  })
})

describe('the text of an error is scrubbed of', () => {
  const secrets = ['AQ.provider-key-1', 'gateway.internal.example:8443']
  const cases: [name: string, text: string, scrubbed: string][] = [
    ['a known key', 'bad key AQ.provider-key-1!', 'bad key [hidden]!'],
    ['one of our keys', `the key ${OURS} was sent`, 'the key [hidden] was sent'],
    [
      "a provider's key that is not in the catalogue",
      `AIza${'x'.repeat(35)} is not valid`,
      '[hidden] is not valid',
    ],
    ['a bearer header', 'authorization: Bearer abcdef123456', 'authorization: Bearer [hidden]'],
    ['a host', 'no route to gateway.internal.example:8443', 'no route to [hidden]'],
    ['any URL', 'Unable to connect to https://api.example.com/v1?x=1', 'Unable to connect to [address]'],
    ['any IPv4 address', 'connect ECONNREFUSED 10.1.2.3:443', 'connect ECONNREFUSED [address]'],
    ['any IPv6 address', 'connect ECONNREFUSED [2001:db8::1]:443', 'connect ECONNREFUSED [address]'],
  ]
  test.each(cases)('%s', (_, text, scrubbed) => {
    expect(createRedactor(secrets).scrub(text)).toBe(scrubbed)
  })

  test.each([
    'timed out after 30.5 s',
    'version 1.2.3 at 12:30:45',
    'tg_p-79rF0 is the prefix that `key list` shows',
    'expected [a:b] or [1]',
  ])('nothing in "%s", which has no secret', (text) => {
    expect(createRedactor(secrets).scrub(text)).toBe(text)
  })

  test('any secret: plain, in JSON and in a URL, next to any text (property)', () => {
    const secret = fc
      .string({ unit: 'binary', minLength: 8, maxLength: 40 })
      .filter((text) => text.isWellFormed())
    const around = fc.string({ maxLength: 20 })
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 5 }),
        around,
        around,
        (hidden, before, after) => {
          const { hide, finds } = createRedactor(hidden)
          for (const one of hidden) {
            for (const form of [one, JSON.stringify(one).slice(1, -1), encodeURIComponent(one)]) {
              expect(finds(before + form + after)).toBeTrue()
              // The match may be longer than this form. It is hidden all the same, unless the label itself spells it.
              if (!'[hidden]'.includes(form)) expect(hide(form)).not.toContain(form)
            }
          }
        },
      ),
    )
  })
})

describe('encoded forms of a secret are hidden', () => {
  const KEY = 'AQ.Ab8RN6/+key~of?a>provider_0123456789'
  const { hide, finds } = createRedactor(['another-secret', KEY])
  const hex = Buffer.from(KEY).toString('hex')
  const base64 = Buffer.from(KEY).toString('base64')

  test.each([
    ['base64', base64],
    ['base64 without padding', base64.replace(/=+$/, '')],
    ['base64url', Buffer.from(KEY).toString('base64url')],
    ['base64 in a URL', encodeURIComponent(base64)],
    ['hex', hex],
    ['hex in upper case', hex.toUpperCase()],
    ['percent-encoding', encodeURIComponent(KEY)],
    ['percent-encoding in lower case', encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase())],
    ['percent-encoding of every byte', hex.replace(/../g, '%$&')],
    ['percent-encoding of every byte, in upper case', hex.toUpperCase().replace(/../g, '%$&')],
  ])('%s', (_name, form) => {
    expect(finds(`{"message":"it is ${form}, says the provider"}`)).toBe(true)
    expect(hide(`it is ${form}, says the provider`)).toBe('it is [hidden], says the provider')
  })

  test.each(['base64', 'base64url'] as const)('%s of a text that contains it, at any offset', (encoding) => {
    for (let offset = 0; offset < 9; offset++) {
      const form = Buffer.from(`${'x'.repeat(offset)}${KEY}${'y'.repeat(8 - offset)}`).toString(encoding)
      expect(finds(form)).toBe(true)
      const left = Buffer.from(hide(form).replaceAll('[hidden]', '    '), encoding).toString('latin1')
      expect(left).not.toContain(KEY.slice(0, 4))
      expect(left).not.toContain(KEY.slice(-4))
    }
  })

  test('any secret, at any offset, between any bytes (property)', () => {
    const bytes = fc.uint8Array({ maxLength: 20 })
    const secret = fc
      .string({ unit: 'binary', minLength: 8, maxLength: 60 })
      .filter((text) => text.isWellFormed())
    fc.assert(
      fc.property(secret, bytes, bytes, fc.string(), (hidden, before, after, around) => {
        const one = createRedactor([hidden])
        const part = Buffer.concat([before, Buffer.from(hidden), after])
        for (const form of [
          part.toString('base64'),
          part.toString('base64url'),
          part.toString('hex'),
          part.toString('hex').toUpperCase(),
        ]) {
          expect(one.finds(`${around} ${form} ${around}`)).toBe(true)
          expect(one.hide(`${around} ${form} ${around}`)).toContain('[hidden]')
        }
      }),
    )
  })

  test.each([
    'req_AaIAm-Ckc-GASR45_cGSAg of account-1 ended in 12 ms at gemini-2.5-flash',
    Buffer.from('nothing that is secret, though it is long enough for one').toString('base64'),
    '0123456789abcdef'.repeat(20),
  ])('nothing in "%s", which has no secret', (text) => {
    expect(finds(text)).toBe(false)
    expect(hide(text)).toBe(text)
  })
})

describe('the secrets of a catalogue', () => {
  const provider = {
    name: 'p',
    protocol: 'openai',
    responses: false,
    key_header: 'authorization',
    api_keys: ['key-of-provider-1', 'key-of-provider-2'],
    headers: { 'x-tenant': 'tenant-secret' },
    first_byte_timeout_ms: 1,
    idle_timeout_ms: 1,
    call_timeout_ms: 1,
    cooldown_ms: 1,
  } as const
  const secretsFor = (base_url: string) =>
    secretsOf({ providers: new Map([['p', { ...provider, base_url }]]) })

  test('are its keys, header values, addresses and hosts', () => {
    const line =
      'key-of-provider-1 key-of-provider-2 tenant-secret https://api.provider.example/v1 api.provider.example'
    expect(createRedactor(...secretsFor('https://API.provider.example/v1')).hide(line)).toBe(
      '[hidden] [hidden] [hidden] [hidden] [hidden]',
    )
  })

  test.each([
    ['simulator', 'provider simulator answered'],
    ['http://ollama:11434', 'provider ollama answered'],
    ['http://localhost:11434', 'listens on localhost:8080'],
    ['http://127.0.0.1:11434', 'listens on 127.0.0.1:8080'],
  ])('do not include the name of %s', (base_url, line) => {
    expect(createRedactor(...secretsFor(base_url)).hide(line)).toBe(line)
  })

  test('include a server on this machine with its port', () => {
    expect(createRedactor(...secretsFor('http://127.0.0.1:11434')).hide('to 127.0.0.1:11434')).toBe(
      'to [hidden]',
    )
  })

  test('do not include placeholders', () => {
    expect(createRedactor(['', 'none', 'ollama']).hide('none of ollama')).toBe('none of ollama')
  })
})

describe('an imported key is hidden, even one chosen by hand', () => {
  const { hide, finds } = createRedactor([])
  test.each([
    ['the key sk-aB3dEf7haB3dEf7h0123 was sent', 'the key [hidden] was sent'],
    ['{"key":"sk-my.team/2024!prod"}', '{"key":"[hidden]"}'],
    ['x-api-key: sk-1234567890', 'x-api-key: [hidden]'],
    ['sk-team@berlin', '[hidden]'],
    ['the key sk-aB3dEf7haB3dEf7h0123.and-more was sent', 'the key [hidden] was sent'],
    ["the key 'sk-aB3dEf7h(0123)[4],{5}' was sent", "the key '[hidden]}' was sent"],
  ])('%s', (text, hidden) => {
    expect(finds(text)).toBe(true)
    expect(hide(text)).toBe(hidden)
  })
  test.each([
    'sk-aB3dEf7 is the prefix that lists show',
    'sk-...aB3d of ada',
    '(sk-aB3dEf7),of ada',
    'a risk-assessment and a task-identifier',
    'sk-1234',
  ])('%s is unchanged', (text) => {
    expect(finds(text)).toBe(false)
    expect(hide(text)).toBe(text)
  })
})

// The catalogue's text without its secrets: none is visible, and all of them come back.
import { describe, expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { hideSecrets, restoreSecrets, showsSecretOf } from '../../src/catalogue/hidden-text.ts'
import { markOf } from '../../src/observe/key-mark.ts'
import { createRedactor } from '../../src/observe/redact.ts'

const SECRETS = [
  'sk-live-abcdefghijklmnop',
  'literal-secret-2',
  'Bearer 1234567890',
  'commented-secret-1',
  'listed-secret-22',
  'known-elsewhere-9',
]
const [FIRST = '', SECOND = '', HEADER = '', COMMENTED = '', LISTED = '', KNOWN = ''] = SECRETS

const TEXT = `# The old key was ${KNOWN}.
[[providers]]
name = "acme" # not secret
protocol = "openai"
base_url = "https://acme.example/v1"
api_keys = [
  "${FIRST}", # of the first account
  '${SECOND}',
  "env:ACME_KEY",
]
headers = { authorization = "${HEADER}", "X-Env" = "env:HEADER" }

#[[providers]]
#name = "other"
#api_keys = ["${COMMENTED}", "env:OTHER"]
#api_keys = [
#  "${LISTED}",
#]
#base_url = "https://other.example"

[[models]]
id = "model"
kind = "text"
routes = [{ provider = "acme", model = "m" }]
price = { input = 1, output = 2 }
`

const redactor = createRedactor([KNOWN])
const HIDDEN_LINE = 'contains a hidden text: restore the line as it was, or enter that text again'

function hidden(text: string) {
  const found = hideSecrets(text, redactor)
  if (!found) throw new Error('the text is not TOML')
  return found
}

const hiddenMark = (secret: string): string => `hidden:${markOf(secret)}`

describe('a hidden text', () => {
  test.each(SECRETS)('has nothing of %s', (secret) => {
    expect(hidden(TEXT).text).not.toContain(secret)
  })

  test('keeps environment variables, names, addresses, comments and lines', () => {
    const { text } = hidden(TEXT)
    for (const kept of [
      '"env:ACME_KEY"',
      '"env:HEADER"',
      '"env:OTHER"',
      '# not secret',
      'https://acme.example/v1',
      'https://other.example',
    ])
      expect(text).toContain(kept)
    expect(text.split('\n').length).toBe(TEXT.split('\n').length)
    expect(text).toContain(`"${hiddenMark(FIRST)}", # ${hiddenMark('# of the first account')}`)
  })

  test('has no key under a misspelt name, in a table of its own, or in an address', () => {
    const text = `[[providers]]\nname = "a"\napi_key = "${FIRST}"\nbase_url = "https://x:${SECOND}@a.example"\n\n[providers.headers]\nx = "${HEADER}"\n`
    for (const secret of [FIRST, SECOND, HEADER]) expect(hidden(text).text).not.toContain(secret)
  })

  test('has no key that only begins like a reference', () => {
    const text = `[[providers]]\nname = "a"\napi_keys = ["$ecret-of-mine", "env:sk-live-1234", "env:FINE", "$WRONG"]\n`
    const found = hidden(text)
    expect(found.text).not.toContain('$ecret')
    expect(found.text).not.toContain('sk-live')
    expect(found.text).toContain('"env:FINE", "$WRONG"')
    expect(restoreSecrets(found.text, found).text).toBe(text)
  })

  test('has no secret over several lines, nor one in a comment below it', () => {
    const text = `[[providers]]\nname = "a"\nheaders = { x = """\n${FIRST}\n""" }\n#api_keys = ["${COMMENTED}"]\n`
    const found = hidden(text)
    for (const secret of [FIRST, COMMENTED]) expect(found.text).not.toContain(secret)
    expect(restoreSecrets(found.text, found).text).toBe(text)
  })

  test.each([
    [
      'the text of a key file',
      `# api_keys = [${JSON.stringify(JSON.stringify({ private_key: COMMENTED }))}]`,
    ],
    ['a key file, line by line', `# {\n#   "private_key": "${COMMENTED}"\n# }`],
    ['a text that is not closed', `# api_keys = ["a\\"${COMMENTED}`],
    ['the address of a webhook', `#webhook_url = 'https://hooks.example.com/${COMMENTED}'`],
  ])('has no secret of a comment with %s', (_, comment) => {
    const text = `${comment}\n[server]\n`
    const found = hidden(text)
    expect(found.text).not.toContain(COMMENTED)
    expect(restoreSecrets(found.text, found).text).toBe(text)
  })

  test.each([
    ['spaces', ' '.repeat(200_000), ''],
    ['escaped quotes', '', '\\"'.repeat(100_000)],
    ['one word', '# ', 'a'.repeat(200_000)],
    ['headers', '# [', 'headers'.repeat(30_000)],
  ])('is made at once of a long comment of %s, and hides its quoted secret', (_, before, after) => {
    const from = performance.now()
    expect(hidden(`${before}# x = "${COMMENTED}" ${after}`).text).not.toContain(COMMENTED)
    // Not a measurement: it took minutes before.
    expect(performance.now() - from).toBeLessThan(2_000)
  })

  test('is undefined if the text is not TOML', () => {
    expect(hideSecrets(`${TEXT}\nx = `, redactor)).toBeUndefined()
  })

  test('is the first catalogue, unchanged', () => {
    expect(hidden(FIRST_CATALOGUE).text).toBe(FIRST_CATALOGUE)
  })
})

describe('a restored secret', () => {
  test.each([
    ['with line feeds', TEXT],
    ['with CR LF', TEXT.replaceAll('\n', '\r\n')],
    ['of the first catalogue', FIRST_CATALOGUE],
  ])('completes the text to the character %s', (_, text) => {
    const found = hidden(text)
    expect(restoreSecrets(found.text, found)).toMatchObject({ text, mistakes: [] })
  })

  test('follows its mark within its provider', () => {
    const found = hidden(TEXT)
    const swapped = found.text
      .replace(hiddenMark(FIRST), 'x')
      .replace(hiddenMark(SECOND), hiddenMark(FIRST))
      .replace('"x"', `"${hiddenMark(SECOND)}"`)
    const { text, mistakes } = restoreSecrets(swapped, found)
    expect(mistakes).toEqual([])
    expect(text.indexOf(SECOND)).toBeLessThan(text.indexOf(FIRST))
  })

  test('stays with its provider if the name or path changes', () => {
    const found = hidden(TEXT)
    const renamed = found.text
      .replace('"acme" #', '"acme-2" #')
      .replace('acme.example/v1"', 'acme.example/v2"')
    expect(restoreSecrets(renamed, found).text).toContain(FIRST)
  })

  test.each([
    ['server = "azure"\nresource = "acme"', 'resource = "acme"', 'resource = "evil"'],
    ['server = "bedrock"\nregion = "us-east-1"', 'region = "us-east-1"', 'region = "cn-north-1"'],
    ['server = "mistral"', 'server = "mistral"', 'server = "groq"'],
    ['server = "mistral"', 'server = "mistral"', 'server = "mistral"\nbase_url = "https://evil.example"'],
  ])('is never sent to another server: %s, %s, %s', (entry, written, changed) => {
    const found = hidden(`[[providers]]\nname = "acme"\n${entry}\napi_keys = ["${FIRST}"]\n`)
    expect(found.text).toContain(written)
    const { text, mistakes } = restoreSecrets(found.text.replace(written, changed), found)
    expect(text).not.toContain(FIRST)
    expect(mistakes.map(({ path }) => path)).toEqual(['providers[0].api_keys[0]'])
    expect(restoreSecrets(found.text, found).text).toContain(FIRST)
  })

  test('is never sent to another address', () => {
    const found = hidden(TEXT)
    for (const address of [
      'https://evil.example/v1',
      'http://acme.example/v1',
      'https://acme.example:8443/v1',
      'https://acme.example.evil.example',
    ]) {
      const { text, mistakes } = restoreSecrets(found.text.replace('https://acme.example/v1', address), found)
      expect(text).not.toContain(FIRST)
      expect(mistakes.map(({ path }) => path)).toEqual([
        'providers[0].headers.authorization',
        'providers[0].api_keys[0]',
        'providers[0].api_keys[1]',
      ])
      expect(mistakes[0]?.message).toContain('must be entered again')
    }
  })

  test('is not put into the visible name of a model', () => {
    const found = hidden(TEXT)
    const moved = found.text.replace('id = "model"', `id = "model"\ndisplay_name = "${hiddenMark(FIRST)}"`)
    const { text, mistakes } = restoreSecrets(moved, found)
    expect(text.split(FIRST).length).toBe(2)
    expect(mistakes.map(({ path }) => path)).toEqual(['models[0].display_name'])
  })

  test.each(['name', 'protocol', 'base_url'])('is not put into the visible %s of a provider', (field) => {
    const found = hidden(TEXT)
    const block = {
      name: 'x',
      protocol: 'openai',
      base_url: 'https://acme.example/v1',
      [field]: hiddenMark(FIRST),
    }
    const lines = Object.entries(block).map(([key, value]) => `${key} = "${value}"`)
    const { text, mistakes } = restoreSecrets(`${found.text}\n[[providers]]\n${lines.join('\n')}\n`, found)
    expect(text.split(FIRST)).toHaveLength(2)
    expect(mistakes.map(({ path }) => path)).toEqual([`providers[1].${field}`])
  })

  test.each([
    ['a text over several lines', 'display_name = """\n', '\n"""'],
    ['a text with other quotes', "display_name = '''\n", "\n'''"],
    ['a text that is not TOML', 'display_name = """\n', ''],
  ])('of a comment is not put into %s', (_, before, after) => {
    const found = hidden(TEXT)
    for (const secret of [COMMENTED, KNOWN]) {
      const line = TEXT.split('\n').findIndex((each) => each.includes(secret))
      const hidden_line = found.text.split('\n')[line] ?? ''
      const without = found.text.replace(`${hidden_line}\n`, '')
      const moved = without.replace('id = "model"', `id = "model"\n${before}${hidden_line}${after}`)
      const restored = restoreSecrets(moved, found)
      expect(JSON.stringify(restored)).not.toContain(secret)
      if (after !== '') expect(restored.mistakes.map(({ message }) => message)).toContain(HIDDEN_LINE)
    }
  })

  test('from the environment goes to its present address only', () => {
    const found = hidden(TEXT)
    const known = new Map([['ACME_KEY', new Set(['https://acme.example'])]])
    const moved = found.text.replace('https://acme.example/v1', 'https://evil.example')
    const paths = (text: string) => restoreSecrets(text, found, known).mistakes.map(({ path }) => path)
    expect(paths(found.text)).toEqual([])
    expect(paths(moved)).toContain('providers[0].api_keys[2]')
    const evil = (key: string) =>
      `${found.text}\n[[providers]]\nname = "evil"\nprotocol = "openai"\nbase_url = "https://evil.example"\n${key}\n`
    expect(paths(evil('api_keys = ["env: ACME_KEY "]'))).toEqual(['providers[1].api_keys[0]'])
    expect(paths(evil('headers = { x = "env:ACME_KEY" }'))).toEqual(['providers[1].headers.x'])
    expect(paths(evil('api_keys = ["env:ANOTHER"]'))).toEqual([])
  })

  test('is a mistake if its mark is unknown', () => {
    const found = hidden(TEXT)
    const { mistakes } = restoreSecrets(found.text.replace(hiddenMark(FIRST), 'hidden:AAAAAAAA'), found)
    expect(mistakes).toEqual([expect.objectContaining({ path: 'providers[0].api_keys[0]', line: 7 })])
  })

  test('cannot come back to a changed line, which is a mistake', () => {
    const found = hidden(TEXT)
    const changed = found.text.replace('# The old key was', '# Our old key was')
    expect(restoreSecrets(changed, found).mistakes).toEqual([expect.objectContaining({ line: 1 })])
  })

  test('of a comment is noticed if the lines around it no longer hide it', () => {
    const found = hidden(TEXT)
    const line = found.text.split('\n').find((each) => each.includes(hiddenMark(LISTED))) ?? ''
    const bare = found.text.replace(/#\[\[providers\]\]\n(#.*\n)+/, `# A note.\n${line}\n`)
    const { text } = restoreSecrets(bare, found)
    expect(text).toContain(LISTED)
    expect(showsSecretOf(hidden(text), found)).toBe(true)
    expect(showsSecretOf(hidden(TEXT), found)).toBe(false)
  })
})

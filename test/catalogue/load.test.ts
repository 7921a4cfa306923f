// Catalogue files without mistakes, and the catalogues that they become.
import { describe, expect, test } from 'bun:test'
import { utimes, writeFile } from 'node:fs/promises'
import { readCatalogueFile } from '../../src/catalogue/load-file.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { temporary } from '../support/temporary.ts'
import { CATALOGUE, catalogueOf, MODEL, PROVIDER, read } from './catalogues.ts'

const provider = (lines: string) => `[[providers]]\n${lines}\n${MODEL}`
const model = (lines: string) => `[[models]]\n${lines}\n${PROVIDER}`

describe('a correct file', () => {
  test('missing settings have their defaults', () => {
    const { server, limits, billing, responses, retention, console, providers, models } =
      catalogueOf(CATALOGUE)
    expect(server).toMatchObject({ listen: '127.0.0.1:8080', log_level: 'info', on_disconnect: 'cancel' })
    expect(limits).toEqual({ reads_per_minute: 600, images_per_minute: 30, refuse_negative_margin: false })
    expect(responses).toEqual({
      store: true,
      days: 30,
      max_mb: 4_096,
      max_mb_per_account: 512,
      max_mb_per_conversation: 32,
    })
    expect(billing).toEqual({ interrupted: 'charge' })
    expect(retention).toEqual({ traces: 90 })
    expect(server.trusted_proxies).toEqual([])
    expect(server.env_names).toEqual(['*_API_KEY', 'AWS_BEARER_TOKEN_BEDROCK'])
    expect(console).toEqual({ enabled: true, insecure_http: false, session_hours: 168, idle_hours: 24 })
    expect(providers.get('acme')).toEqual({
      name: 'acme',
      protocol: 'gemini',
      responses: false,
      key_header: 'x-goog-api-key',
      base_url: 'https://acme.example/api',
      api_keys: ['key-1'],
      headers: {},
      first_byte_timeout_ms: 120_000,
      idle_timeout_ms: 120_000,
      call_timeout_ms: 600_000,
      cooldown_ms: 10_000,
    })
    expect(models.get('model')).toMatchObject({
      kind: 'text',
      display_name: 'model',
      retired: false,
      context: 1_048_576,
      max_output_tokens: 8_192,
      routes: [{ provider: 'acme', model: 'upstream', weight: 1, order: 0 }],
    })
  })

  test.each([
    ['with the line ends of Windows', CATALOGUE.replaceAll('\n', '\r\n')],
    ['with a byte order mark', `\uFEFF${CATALOGUE}`],
  ])('reads the same %s', (_case, text) => {
    expect(catalogueOf(text)).toEqual(catalogueOf(CATALOGUE))
  })

  test.each([
    ['a slash at the end of an address is dropped', 'https://x/v1/', '["k"]', 'https://x/v1', ['k']],
    ['several slashes, too', 'https://x//', '["k"]', 'https://x', ['k']],
    [
      'secrets come from the environment, without the space around them',
      'https://x',
      '["env:ONE", "two"]',
      'https://x',
      ['1', 'two'],
    ],
    ['an empty list says that no key is needed', 'https://x', '[]', 'https://x', ['']],
    ['the simulator needs no key', 'simulator', undefined, 'simulator', ['']],
  ])('%s', (_case, base_url, keys, expected_url, api_keys) => {
    const lines = `name = "acme"\nprotocol = "gemini"\nbase_url = "${base_url}"`
    const { providers } = catalogueOf(provider(keys ? `${lines}\napi_keys = ${keys}` : lines), { ONE: '1\n' })
    expect(providers.get('acme')).toMatchObject({ base_url: expected_url, api_keys })
  })

  test('a self-hosted server that serves openai over http needs no key', () => {
    const lines = 'name = "acme"\nprotocol = "openai"\nbase_url = "http://127.0.0.1:11434/v1"'
    expect(catalogueOf(provider(lines)).providers.get('acme')?.api_keys).toEqual([''])
  })

  test.each([
    ['https://api.openai.com/v1', '', true],
    ['https://eu.api.openai.com/v1', '', true],
    ['https://openrouter.ai/api/v1', '', true],
    ['simulator', '', true],
    ['https://api.openai.com.example/v1', '', false],
    ['http://127.0.0.1:11434/v1', '', false],
    ['http://127.0.0.1:11434/v1', 'responses = true', true],
    ['https://api.openai.com/v1', 'responses = false', false],
  ])('an openai provider serves responses by address or setting: %s %s', (base_url, setting, serves) => {
    const lines = `name = "acme"\nprotocol = "openai"\nbase_url = "${base_url}"\napi_keys = ["k"]\n${setting}`
    expect(catalogueOf(provider(lines)).providers.get('acme')?.responses).toBe(serves)
  })

  test.each([
    ['responses = true\ndrop_fields = ["user", "store"]', 1],
    ['responses = true\ndrop_fields = ["user"]', 0],
    ['responses = false\ndrop_fields = ["store"]', 0],
  ])('a dropped `store`, which lets the provider store responses, brings a warning: %s', (lines, count) => {
    const base = 'name = "acme"\nprotocol = "openai"\nbase_url = "http://x/v1"\n'
    const reading = read(provider(base + lines))
    const warnings = reading.ok ? reading.warnings.map(({ path }) => path) : ['a mistake']
    expect(warnings).toEqual(Array(count).fill('providers[0].drop_fields[1]'))
  })

  test.each([
    ['https://gateway.example.com', false],
    ['https://gateway.example.com/', false],
    ['https://example.com/tollgate/', false],
    ['https://example.com/v1', true],
    ['https://example.com/console/', true],
    ['https://example.com/a%20b', true],
  ])(
    'a public_url brings a warning only with a path that the gateway cannot be served below: %s',
    (url, is_warned) => {
      const reading = read(
        `[server]\npublic_url = "${url}"\n${provider('name = "acme"\nprotocol = "openai"\nbase_url = "simulator"\n')}`,
      )
      const warnings = reading.ok ? reading.warnings : []
      expect([reading.ok, warnings.map(({ path }) => path)]).toEqual([
        true,
        is_warned ? ['server.public_url'] : [],
      ])
      if (is_warned) expect(warnings[0]?.message).toStartWith('has a path that the gateway cannot use')
    },
  )

  test.each(['https://example.com/t?x=1', 'https://example.com#f', 'https://ada:pw@example.com/t'])(
    'a public_url with more than a host name and a path brings a warning: %s',
    (url) => {
      const reading = read(
        `[server]\npublic_url = "${url}"\n${provider('name = "acme"\nprotocol = "openai"\nbase_url = "simulator"\n')}`,
      )
      const warnings = reading.ok ? reading.warnings : []
      expect(warnings).toMatchObject([
        { path: 'server.public_url', message: expect.stringContaining('more than a host name and a path') },
      ])
    },
  )

  test.each([
    ['simulator', '', { base_url: 'simulator', server: 'openai', responses: true }],
    ['simulator', 'server = "openai"', { base_url: 'simulator', server: 'openai', responses: true }],
    ['simulator', 'server = "groq"', { base_url: 'simulator/groq', server: 'groq', responses: false }],
    ['simulator', 'server = "openrouter"', { base_url: 'simulator/openrouter', responses: true }],
    ['https://proxy.example/v1', 'server = "openai"', { server: 'openai', responses: true }],
    ['https://proxy.example/v1', '', { server: undefined, responses: false }],
  ])('the server behind an openai provider: %s %s', (base_url, setting, expected) => {
    const lines = `name = "acme"\nprotocol = "openai"\nbase_url = "${base_url}"\napi_keys = ["k"]\n${setting}`
    const { base_url: read, server, responses } = catalogueOf(provider(lines)).providers.get('acme') ?? {}
    expect({ base_url: read, server, responses }).toMatchObject(expected)
  })

  test('headers may hold secrets from the environment', () => {
    const lines =
      'name = "acme"\nprotocol = "gemini"\nbase_url = "simulator"\nheaders = { x-team = "env:TEAM", a = "b" }'
    expect(catalogueOf(provider(lines), { TEAM: 't' }).providers.get('acme')?.headers).toEqual({
      'x-team': 't',
      a: 'b',
    })
  })

  test('routes are tried by rising order, in the written order where that is equal', () => {
    const route = (name: string, order: number) =>
      `{ provider = "acme", model = "${name}", order = ${order} }`
    const text = model(
      `id = "m"\nkind = "text"\nprice = { input = 1, output = 1 }\nroutes = [${route('c', 2)}, ${route('a', 0)}, ${route('d', 2)}, ${route('b', 1)}]`,
    )
    expect(
      catalogueOf(text)
        .models.get('m')
        ?.routes.map((each) => each.model),
    ).toEqual(['a', 'b', 'c', 'd'])
  })

  test('missing rates follow from the others, a tenth rounded up to a whole nano-dollar', () => {
    const text = CATALOGUE.replace('{ input = 1, output = 2 }', '{ input = "0.000000011", output = 2 }')
    const price = catalogueOf(text).models.get('model')?.price
    expect(price).toMatchObject({
      tiers: [
        {
          above_tokens: 0,
          rates: {
            input_tokens: 11,
            input_audio_tokens: 11,
            cache_read_tokens: 2,
            cache_write_5m_tokens: 14,
            cache_write_1h_tokens: 22,
            output_tokens: 2_000_000_000,
            thinking_tokens: 2_000_000_000,
            output_image_tokens: 2_000_000_000,
          },
        },
      ],
    })
  })

  test('written rates are kept in each tier, and the first tier begins at 0', () => {
    const rates =
      'input = 1, output = 2, cache_read = 3, cache_write_5m = 4, cache_write_1h = 5, thinking = 6, audio = 7, image_output = 8'
    const text = CATALOGUE.replace(
      '{ input = 1, output = 2 }',
      `{ ${rates}, tiers = [{ above = 9, ${rates} }] }`,
    )
    const written = {
      input_tokens: 1e9,
      output_tokens: 2e9,
      cache_read_tokens: 3e9,
      cache_write_5m_tokens: 4e9,
      cache_write_1h_tokens: 5e9,
      thinking_tokens: 6e9,
      input_audio_tokens: 7e9,
      output_image_tokens: 8e9,
    }
    expect(catalogueOf(text).models.get('model')?.price).toMatchObject({
      unit: 'token',
      tiers: [
        { above_tokens: 0, rates: written },
        { above_tokens: 9, rates: written },
      ],
    })
  })

  test('an embedding is priced by its input alone', () => {
    const text = model(
      'id = "e"\nkind = "embedding"\nroutes = [{ provider = "acme", model = "x" }]\nprice = { input = 0.15 }',
    )
    expect(catalogueOf(text).models.get('e')?.price).toMatchObject({
      tiers: [{ rates: { input_tokens: 150_000_000, output_tokens: 0 } }],
    })
  })

  test('an image model has its sizes and prices', () => {
    const text = model(
      'id = "i"\nkind = "image"\nsizes = ["auto", "1024x1024"]\nroutes = [{ provider = "acme", model = "x" }]\nprice = { per_image = 0.04, variants = [{ size = "512x512", per_image = "0.02" }] }',
    )
    expect(catalogueOf(text).models.get('i')).toMatchObject({
      max_n_per_request: 1,
      timeout_ms: 300_000,
      sizes: ['auto', '1024x1024'],
      price: {
        unit: 'image',
        per_image_nanos: 40_000_000,
        variants: [{ size: '512x512', quality: undefined, per_image_nanos: 20_000_000 }],
      },
    })
  })

  test.each([
    ['neither partial images nor high fidelity by default', '', {}],
    ['partial images, which may be free', ', partial_image = 0', { partial_image_nanos: 0 }],
    ['high fidelity', ', high_fidelity = "0.06"', { high_fidelity_nanos: 60_000_000 }],
  ])('an image model prices %s', (_, more, added) => {
    const text = model(
      `id = "i"\nkind = "image"\nroutes = [{ provider = "acme", model = "x" }]\nprice = { per_image = 0.04${more} }`,
    )
    expect(catalogueOf(text).models.get('i')?.price).toEqual({
      unit: 'image',
      per_image_nanos: 40_000_000,
      variants: [],
      ...added,
    })
  })
})

describe('readCatalogueFile', () => {
  test('dates a model by its own date, else by the last change of the file', async () => {
    using folder = temporary()
    const path = folder.at('tollgate.toml')
    await writeFile(path, `${CATALOGUE}${MODEL.replace('"model"', '"dated"\ncreated = "2024-02-29"')}`)
    await utimes(path, new Date(), new Date('2026-05-06T07:08:09.5Z'))
    const reading = await readCatalogueFile(path, { env: {}, protocols: BUILT_IN_REGISTRY })
    const dates = reading.ok && [...reading.catalogue.models.values()].map((model) => model.created_at_ms)
    expect(dates).toEqual([Date.parse('2026-05-06T07:08:09.5Z'), Date.parse('2024-02-29T00:00:00Z')])
  })

  test('reports a missing file, or a folder, as a mistake and does not throw', async () => {
    using folder = temporary()
    for (const path of [folder.at('none.toml'), folder.path]) {
      const reading = await readCatalogueFile(path, { env: {}, protocols: BUILT_IN_REGISTRY })
      expect(reading).toMatchObject({ ok: false, mistakes: [{ path: '', line: 1 }] })
      expect(reading.ok || reading.mistakes[0]?.message).toStartWith('cannot be read')
    }
  })

  const NO_CATALOGUE = ' has no providers and models: write them here, or put a catalogue into the database'
  test.each([
    ['a database, and no catalogue anywhere', '[storage]\ndatabase = "env:URL"\n', [NO_CATALOGUE]],
    [
      'models without providers beside a database',
      `[storage]\ndatabase = "env:URL"\n${MODEL}`,
      ['providers is'],
    ],
    ['no database', '[storage]\n', ['providers is missing', 'models is missing']],
  ])('reports %s with what to do', async (_case, text, wanted) => {
    using folder = temporary()
    const path = folder.at('tollgate.toml')
    await writeFile(path, text)
    const env = { URL: 'postgres://tollgate@127.0.0.1/tollgate' }
    const reading = await readCatalogueFile(path, { env, protocols: BUILT_IN_REGISTRY })
    const reported = reading.ok ? [] : reading.mistakes.map((mistake) => `${mistake.path} ${mistake.message}`)
    expect(reported.slice(0, wanted.length)).toEqual(wanted.map((begin) => expect.stringContaining(begin)))
  })
})

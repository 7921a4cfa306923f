// The catalogue file with mistakes: each is reported with its path, its line and what to write instead.
import { describe, expect, test } from 'bun:test'
import { formatMistake } from '../../src/catalogue/mistakes.ts'
import { CATALOGUE, MODEL, mistakesOf, PROVIDER, read } from './catalogues.ts'

const provider = (lines: string) => `[[providers]]\n${lines}\n${MODEL}`
const model = (lines: string) => `[[models]]\n${lines}\n${PROVIDER}`

describe('a file that is not TOML is reported with the line', () => {
  test.each([
    ['a value is missing, which is seen where the next line begins', `${CATALOGUE}\nx =\n`, 15],
    ['a key is written twice', '[server]\nlisten = "a:1"\nlisten = "b:1"\n', 3],
    ['a table is written twice', '[server]\n[limits]\n[server]\n', 3],
    ['text without its end', '[server]\nlisten = "a:1\n', 2],
    ['a misplaced comma', 'providers = [,]\n', 1],
  ])('%s', (_case, text, line) => {
    const reading = read(text)
    expect(reading).toMatchObject({ ok: false, mistakes: [{ path: '', line }] })
    expect(mistakesOf(text)[0]).toContain('is not TOML')
  })
  test.each([
    ['a word', 'server = mistral\n', 10],
    ['a variable', 'api_keys = [$THE_KEY]\n', 13],
    ['curly quotes', 'server = “mistral”\n', 10],
  ])('%s without straight quotes is reported with the column, and never quoted', (_case, text, column) => {
    expect(mistakesOf(text)).toEqual([
      `1 : is not TOML: Unexpected character at column ${column}. Text needs straight quotes: name = "text"`,
    ])
  })
})

describe('a mistake says where it is and what to write', () => {
  const price = (text: string) =>
    model(`id = "m"\nkind = "text"\nroutes = [{ provider = "acme", model = "x" }]\n${text}`)
  test.each([
    ['an empty file', '', '1 providers: is missing: it must be at least one [[providers]] block'],
    [
      'a section that does not exist',
      `[srever]\n${CATALOGUE}`,
      '1 srever: unknown field; did you mean "server"?',
    ],
    ['a section of another kind', `server = 1\n${CATALOGUE}`, '1 server: must be a table'],
    [
      'one table for a list of them',
      `[providers]\nname = "x"\n${MODEL}`,
      '1 providers: must be at least one [[providers]] block',
    ],
    [
      'a field that does not exist',
      `[server]\n\nlissten = "a:1"\n${CATALOGUE}`,
      '3 server.lissten: unknown field; did you mean "listen"?',
    ],
    [
      'a field of another section, beside a similar name',
      `[limits]\nrequests_per_minute = 60\n${CATALOGUE}`,
      '2 limits.requests_per_minute: unknown field; requests_per_minute belongs in [limits.account], [limits.key], [limits.accounts.NAME] or [limits.keys.NAME]',
    ],
    [
      'a field of a section outside all sections',
      `listen = "127.0.0.1:1"\n${CATALOGUE}`,
      '1 listen: unknown field; listen belongs in [server] or [metrics]',
    ],
    [
      'an unknown choice',
      `[server]\nlog_level = "loud"\n${CATALOGUE}`,
      '2 server.log_level: must be one of "debug", "info", "warn" or "error" (the minimum level of the log)',
    ],
    [
      'an unknown charge for interrupted answers',
      `[billing]\ninterrupted = "half"\n${CATALOGUE}`,
      '2 billing.interrupted: must be one of "charge" or "free" (whether the caller pays for the delivered part of an answer that its provider interrupted)',
    ],
    [
      'a negative retention',
      `[retention]\ntraces = -1\n${CATALOGUE}`,
      '2 retention.traces: must be a whole number from 0 to 36500 (days after which the trace of a call (its tries, times and failure) is deleted; 0: never)',
    ],
    [
      'a retention of calls, which are kept forever',
      `[retention]\ncalls = 30\n${CATALOGUE}`,
      '2 retention.calls: unknown field; allowed: traces',
    ],
    [
      'an address without a port',
      `[server]\nlisten = "localhost"\n${CATALOGUE}`,
      '2 server.listen: must be address:port, such as "127.0.0.1:8080" or "[::1]:8080" (the address and port that the gateway listens on)',
    ],
    [
      'a certificate without its key',
      `[server]\ntls_certificate = "a.pem"\n${CATALOGUE}`,
      '2 server.tls_certificate: needs the file of its private key beside it: write tls_key, too',
    ],
    [
      'a key without its certificate',
      `[server]\ntls_key = "a.key"\n${CATALOGUE}`,
      '2 server.tls_key: needs the file of its certificate beside it: write tls_certificate, too',
    ],
    [
      'a public address that is not a URL',
      `[server]\npublic_url = "gateway"\n${CATALOGUE}`,
      '2 server.public_url: must be a URL, such as "https://gateway.example.com" (the URL that callers use, including the path if a proxy serves it below one)',
    ],
    [
      'text for a number',
      `[server]\ndrain_timeout_ms = "1"\n${CATALOGUE}`,
      '2 server.drain_timeout_ms: must be a whole number from 0 to 2147483647 (how long an answer is read on after its client disconnects, with on_disconnect = "drain")',
    ],
    [
      'a time beyond what timers can count',
      `[server]\ndrain_timeout_ms = 2147483648\n${CATALOGUE}`,
      '2 server.drain_timeout_ms: must be a whole number from 0 to 2147483647 (how long an answer is read on after its client disconnects, with on_disconnect = "drain")',
    ],
    [
      'a fraction for a count',
      `[limits.key]\nconcurrent_calls = 1.5\n${CATALOGUE}`,
      '2 limits.key.concurrent_calls: must be a whole number from 1 to 67108864 (concurrent requests)',
    ],
    [
      'a limit of zero',
      `[limits.account]\nrequests_per_minute = 0\n${CATALOGUE}`,
      '2 limits.account.requests_per_minute: must be a whole number from 1 to 67108864 (requests in any 60 seconds)',
    ],
    [
      'a limit of one account',
      `[limits.accounts."a b"]\nrpm = 1\n${CATALOGUE}`,
      '2 limits.accounts."a b".rpm: unknown field; allowed: requests_per_minute, tokens_per_minute, concurrent_calls',
    ],

    [
      'a provider without a name',
      provider('protocol = "gemini"\nbase_url = "simulator"'),
      '1 providers[0].name: is missing: it must be a name of a-z, 0-9, _ and -, such as "google"',
    ],
    [
      'an unknown protocol',
      provider('name = "acme"\nprotocol = "gemni"\nbase_url = "simulator"'),
      '3 providers[0].protocol: must be one of "gemini", "anthropic" or "openai"',
    ],
    [
      'another scheme',
      provider('name = "acme"\nprotocol = "gemini"\nbase_url = "ftp://x"'),
      '4 providers[0].base_url: must be an address that begins with https:// or http://, or "simulator"',
    ],
    [
      'a field to drop that a call is priced by',
      `${PROVIDER}drop_fields = ["store", "max_tokens"]\n${MODEL}`,
      '7 providers[0].drop_fields[1]: cannot drop "max_tokens": a call is priced by it, or is made of it. Leave it out',
    ],
    [
      'a path to a limit',
      `${PROVIDER}drop_fields = ["generationConfig.maxOutputTokens"]\n${MODEL}`,
      '7 providers[0].drop_fields[0]: cannot drop "generationConfig.maxOutputTokens": a call is priced by it, or is made of it. Leave it out',
    ],
    [
      'the same in its other spelling',
      `${PROVIDER}drop_fields = ["generation_config.candidate_count"]\n${MODEL}`,
      '7 providers[0].drop_fields[0]: cannot drop "generation_config.candidate_count": a call is priced by it, or is made of it. Leave it out',
    ],
    [
      'a tier to drop, which would be held and charged as if it were requested',
      `${PROVIDER}drop_fields = ["service_tier"]\n${MODEL}`,
      '7 providers[0].drop_fields[0]: cannot drop "service_tier": a call is priced by it, or is made of it. Leave it out',
    ],
    [
      'a field to set that a call is made of',
      `${PROVIDER}set_fields = { messages = [] }\n${MODEL}`,
      '7 providers[0].set_fields.messages: cannot set "messages": a call is priced by it, or is made of it. Leave it out',
    ],
    [
      'a tier to set',
      `${PROVIDER}set_fields = { service_tier = "priority" }\n${MODEL}`,
      '7 providers[0].set_fields.service_tier: cannot set "service_tier": a call is priced by it, or is made of it. Leave it out',
    ],
    [
      'a path with a number',
      `${PROVIDER}drop_fields = ["messages.0.x"]\n${MODEL}`,
      '7 providers[0].drop_fields[0]: must be the name of a field, or a path to one, such as "messages.reasoning_content"',
    ],
    [
      'an address that is not a URL',
      provider('name = "acme"\nprotocol = "gemini"\nbase_url = "https://x y"\napi_keys = ["k"]'),
      '4 providers[0].base_url: must be a complete address, such as "https://api.example.com/v1"',
    ],
    [
      'a secret in the address',
      provider('name = "acme"\nprotocol = "gemini"\nbase_url = "https://a:b@x"\napi_keys = ["k"]'),
      '4 providers[0].base_url: must not hold a user name or password: put the secret in api_keys or headers',
    ],
    [
      'a query in the address',
      provider('name = "acme"\nprotocol = "gemini"\nbase_url = "https://x/?key=1"\napi_keys = ["k"]'),
      '4 providers[0].base_url: must end with its path: a query or a fragment cannot be kept',
    ],
    [
      'a provider without a key',
      provider('name = "acme"\nprotocol = "gemini"\nbase_url = "https://x"'),
      '1 providers[0].api_keys: is missing: write api_keys = ["env:NAME"], or api_keys = [] if the server takes no key',
    ],
    [
      'openai over https without a key',
      provider('name = "acme"\nprotocol = "openai"\nbase_url = "https://x"'),
      '1 providers[0].api_keys: is missing: write api_keys = ["env:NAME"], or api_keys = [] if the server takes no key',
    ],
    [
      'responses of a provider that does not speak chat completions',
      provider(
        'name = "acme"\nprotocol = "gemini"\nbase_url = "https://x"\napi_keys = ["k"]\nresponses = true',
      ),
      '6 providers[0].responses: is for providers with protocol = "openai" only',
    ],
    [
      'a server of another protocol',
      provider('name = "acme"\nprotocol = "gemini"\nbase_url = "simulator"\nserver = "groq"'),
      '3 providers[0].protocol: is not spoken by server = "groq": write "openai"',
    ],
    [
      'a server that resembles no known one',
      provider('name = "acme"\nserver = "none-of-them"\napi_keys = ["k"]'),
      '3 providers[0].server: unknown server; allowed: openai, anthropic, google, azure, foundry, bedrock, openrouter, groq, mistral, deepseek, xai, moonshot, minimax, together, fireworks, cerebras, vertex, ollama, vllm',
    ],
    [
      'neither a protocol nor a server',
      provider('name = "acme"\nbase_url = "https://x"\napi_keys = ["k"]'),
      '1 providers[0].protocol: is missing: write "gemini", "anthropic" or "openai", or name a known server, such as server = "mistral"',
    ],
    [
      'neither an address nor a server',
      provider('name = "acme"\nprotocol = "openai"\napi_keys = ["k"]'),
      '1 providers[0].base_url: is missing: write an address that begins with https:// or http://, "simulator", or name a known server, such as server = "mistral"',
    ],
    [
      'a server without the resource that its address is made of',
      provider('name = "acme"\nserver = "azure"\napi_keys = ["k"]'),
      '1 providers[0].resource: is missing: write the name of the Azure resource, such as "acme" for https://acme.openai.azure.com or https://acme.services.ai.azure.com',
    ],
    [
      'a server without its region',
      provider('name = "acme"\nserver = "bedrock"\napi_keys = ["k"]'),
      '1 providers[0].region: is missing: write the region of the account, such as "us-east-1"',
    ],
    [
      'a field that the server does not need',
      provider('name = "acme"\nserver = "groq"\nregion = "us-east-1"\napi_keys = ["k"]'),
      '4 providers[0].region: is not for server = "groq": leave it out',
    ],
    [
      'a field of a server without a server',
      provider(
        'name = "acme"\nprotocol = "openai"\nbase_url = "https://x/v1"\nresource = "a"\napi_keys = ["k"]',
      ),
      '5 providers[0].resource: needs a known server: write "azure" or "foundry" as server',
    ],
    [
      'a resource beside a base_url',
      provider(
        'name = "acme"\nserver = "azure"\nbase_url = "https://x/v1"\nresource = "a"\napi_keys = ["k"]',
      ),
      '5 providers[0].resource: is part of the address, which base_url says already: leave one of the two out',
    ],
    [
      'a resource that would be another host',
      provider('name = "acme"\nserver = "azure"\nresource = "evil.example/"\napi_keys = ["k"]'),
      '4 providers[0].resource: must be a name of letters, digits and "-", such as "acme"',
    ],
    [
      'a region that would be another host',
      provider('name = "acme"\nserver = "bedrock"\nregion = "x.evil.example/#"\napi_keys = ["k"]'),
      '4 providers[0].region: must be the name of a region, such as "us-east-1"',
    ],
    [
      'a version that would be another query',
      provider(
        'name = "acme"\nserver = "azure"\nresource = "a"\napi_version = "2024-10-21&a=b"\napi_keys = ["k"]',
      ),
      '5 providers[0].api_version: must be the version of an API, such as "2024-10-21"',
    ],
    [
      'a known server without keys',
      provider('name = "acme"\nserver = "mistral"'),
      '1 providers[0].api_keys: is missing: write api_keys = ["env:NAME"], or api_keys = [] if the server takes no key',
    ],
    [
      'a server that the simulator does not play',
      provider('name = "acme"\nprotocol = "openai"\nbase_url = "simulator"\nserver = "cerebras"'),
      '5 providers[0].server: cannot be simulated: write "openai", "azure", "openrouter", "groq", "mistral", "deepseek", "xai", "moonshot", "together", "ollama" or "vllm", or leave it out',
    ],
    [
      'an unknown server',
      provider('name = "acme"\nprotocol = "openai"\nbase_url = "simulator"\nserver = "gorq"'),
      '5 providers[0].server: unknown server; did you mean "groq"?',
    ],
    [
      'an empty key',
      provider('name = "acme"\nprotocol = "gemini"\nbase_url = "https://x"\napi_keys = [\n"k",\n" "]'),
      '7 providers[0].api_keys[1]: must not be empty: write "env:NAME" or the secret itself',
    ],
    ...[
      'ENV:THE_KEY',
      'Env: THE_KEY',
      '{env.THE_KEY}',
      'os.environ/THE_KEY',
      'process.env.THE_KEY',
      `$${'{THE_KEY:-default}'}`,
      '%THE_KEY%',
      'secret:THE_KEY',
    ].map((written): [string, string, string] => [
      `a variable as ${written}`,
      provider(`name = "acme"\nprotocol = "gemini"\nbase_url = "https://x"\napi_keys = ["${written}"]`),
      '5 providers[0].api_keys[0]: would be the secret itself: write "env:THE_KEY" for the environment variable',
    ]),
    [
      'a file as FILE:',
      provider('name = "acme"\nserver = "vertex"\napi_keys = ["FILE:vertex.json"]'),
      '4 providers[0].api_keys[0]: must be "file:" and the path of a file, without braces and quotes',
    ],
    [
      'a variable as a shell writes it',
      provider('name = "acme"\nprotocol = "gemini"\nbase_url = "https://x"\napi_keys = ["$THE_KEY"]'),
      '5 providers[0].api_keys[0]: would be the secret itself: write "env:THE_KEY" for the environment variable',
    ],
    [
      'a variable without a name',
      provider('name = "acme"\nprotocol = "gemini"\nbase_url = "https://x"\napi_keys = ["env:"]'),
      '5 providers[0].api_keys[0]: must name an environment variable after "env:", such as "env:GEMINI_API_KEY"',
    ],
    [
      'a key after env:',
      provider('name = "acme"\nprotocol = "gemini"\nbase_url = "https://x"\napi_keys = ["env:sk-123"]'),
      '5 providers[0].api_keys[0]: must name an environment variable after "env:", such as "env:GEMINI_API_KEY"',
    ],
    [
      'a header that HTTP does not allow',
      provider('name = "acme"\nprotocol = "gemini"\nbase_url = "simulator"\nheaders = { "a b" = "c" }'),
      '5 providers[0].headers."a b": must be a name and a value that HTTP allows (RFC 9110)',
    ],
    [
      'a name twice',
      `${PROVIDER}${PROVIDER}${MODEL}`,
      '9 providers[1].name: must be unique: there is already a provider "acme"',
    ],
    [
      'a route to neither of two of one name',
      `${PROVIDER}${PROVIDER}${MODEL.replace('"acme"', '"elsewhere"')}`,
      '17 models[0].routes[0].provider: unknown provider "elsewhere"; allowed: acme',
    ],

    ['a model that is not a table', `models = ["x"]\n${PROVIDER}`, '1 models[0]: must be a table'],
    [
      'a model without a kind',
      model('id = "m"'),
      '1 models[0].kind: must be "text", "embedding", "image", "speech", "transcription", "moderation" or "rerank"',
    ],
    [
      'a kind that does not exist',
      model('id = "m"\nkind = "txt"'),
      '3 models[0].kind: must be "text", "embedding", "image", "speech", "transcription", "moderation" or "rerank"',
    ],
    [
      'a kind that is a property of all objects',
      model('id = "m"\nkind = "toString"'),
      '3 models[0].kind: must be "text", "embedding", "image", "speech", "transcription", "moderation" or "rerank"',
    ],
    [
      'a field of another kind',
      model(
        'id = "m"\nkind = "image"\nroutes = [{ provider = "acme", model = "x" }]\nprice = { per_image = 1 }\nmax_output_tokens = 1',
      ),
      '6 models[0].max_output_tokens: unknown field; allowed: id, display_name, created, shutdown_date, retired, routes, kind, max_n_per_request, timeout_ms, sizes, qualities, edit_images, max_tokens_per_image, bounds, price',
    ],
    [
      'a price of another kind',
      model('id = "m"\nkind = "image"\nroutes = [{ provider = "acme", model = "x" }]\nprice = { input = 1 }'),
      '5 models[0].price.image_output: is missing: it must be an amount in USD of at most nine decimals, such as 0.30, since the price is by tokens',
    ],
    ...[
      [
        'price = { per_image = 1, image_output = 1, input = 1 }',
        '5 models[0].price.per_image: is for prices by image: leave it out, or the rates of tokens',
      ],
      [
        'price = { image_output = 1 }',
        '5 models[0].price.input: is missing: it must be an amount in USD of at most nine decimals, such as 0.30, since the price is by tokens',
      ],
      [
        'price = { per_image = 1 }\nbounds = [{ size = "4K", max_tokens_per_image = 1 }]',
        '6 models[0].bounds: is for prices by tokens: leave it out',
      ],
      [
        'price = { image_output = 1, input = 1 }',
        '4 models[0].routes[0].cost: must be in the form of the price: both by image, or both by tokens',
        ', cost = { per_image = 1 }',
      ],
      [
        'price = { per_image = 1 }\nqualities = ["ultra"]',
        '6 models[0].qualities[0]: must be one of "xhigh" or "max"',
      ],
      [
        'price = { per_image = 1 }\nshutdown_date = "2027-02-30"',
        '6 models[0].shutdown_date: must be a day that exists, such as "2026-03-31"',
      ],
      [
        'price = { per_image = 1 }',
        '4 models[0].routes[0].shutdown_date: must be a date in quotes, such as "2026-03-31" (the day on which the provider shuts the model down)',
        ', shutdown_date = "soon"',
      ],
      [
        'price = { per_image = 1 }\nshutdown_date = 2026-12-24',
        '6 models[0].shutdown_date: must be a date in quotes, such as "2026-03-31" (the shutdown date that callers see; by default the latest of its routes)',
      ],
    ].map(([lines = '', mistake = '', route = '']): [string, string, string] => [
      `an image model: ${lines}${route}`,
      model(`id = "m"\nkind = "image"\nroutes = [{ provider = "acme", model = "x"${route} }]\n${lines}`),
      mistake,
    ]),
    [
      'a negative price of a partial image',
      model(
        'id = "m"\nkind = "image"\nroutes = [{ provider = "acme", model = "x" }]\nprice = { per_image = 1, partial_image = "-1" }',
      ),
      '5 models[0].price.partial_image: must be between 0 and 1000000 USD',
    ],
    [
      'high fidelity that is not an amount',
      model(
        'id = "m"\nkind = "image"\nroutes = [{ provider = "acme", model = "x" }]\nprice = { per_image = 1, high_fidelity = "yes" }',
      ),
      '5 models[0].price.high_fidelity: must be an amount in USD of at most nine decimals, such as 0.30',
    ],
    [
      'no rate in a price by units',
      model('id = "m"\nkind = "speech"\nroutes = [{ provider = "acme", model = "x" }]\nprice = {}'),
      '5 models[0].price: must be a price with one or more of per_million_characters, per_minute, per_second, input, output',
    ],
    [
      'a rate of another kind',
      model(
        'id = "m"\nkind = "rerank"\nroutes = [{ provider = "acme", model = "x" }]\nprice = { per_minute = 1 }',
      ),
      '5 models[0].price.per_minute: unknown field; allowed: per_search, per_thousand_searches, input',
    ],
    [
      'two prices of one unit',
      model(
        'id = "m"\nkind = "transcription"\nroutes = [{ provider = "acme", model = "x" }]\nprice = { per_minute = 1, per_second = 1 }',
      ),
      '5 models[0].price.per_second: is a second price of one unit: leave out this one or per_minute',
    ],
    [
      'an id that no path can hold',
      model(
        'id = "a?b"\nkind = "text"\nroutes = [{ provider = "acme", model = "x" }]\nprice = { input = 1, output = 1 }',
      ),
      '2 models[0].id: must be at most 128 letters, digits, ".", "_", ":", "/" and "-", such as "gemini-3.5-flash-lite"',
    ],
    ...['https://app.example/', 'app.example', 'https://App.example', 'https://*.example', ''].map(
      (origin): [string, string, string] => [
        `an origin that no browser sends: "${origin}"`,
        `[server]\ncors_origins = ["${origin}"]\n${CATALOGUE}`,
        '2 server.cors_origins[0]: must be an origin as browsers send it, such as "https://app.example", or "*" for any',
      ],
    ),
    ...['proxy.example', '10.0.0.0/33', '::ffff:10.0.0.1', 'fe80::1%eth0'].map(
      (proxy): [string, string, string] => [
        `a proxy that is not an address: "${proxy}"`,
        `[server]\ntrusted_proxies = ["127.0.0.1", "${proxy}"]\n${CATALOGUE}`,
        '2 server.trusted_proxies[1]: must be an IP address or a CIDR block, such as "127.0.0.1" or "10.0.0.0/8"',
      ],
    ),
    ...['', 'MY-KEY', '[A-Z]*_KEY', 'A'.repeat(129)].map((name): [string, string, string] => [
      `a pattern that fits no environment variable: "${name}"`,
      `[server]\nenv_names = ["*_API_KEY", "${name}"]\n${CATALOGUE}`,
      '2 server.env_names[1]: must be the name of an environment variable, in which "*" stands for any characters, such as "*_API_KEY"',
    ]),
    [
      'an address that no browser can open',
      `[server]\npublic_url = "https://gateway.example.com:99999"\n${CATALOGUE}`,
      '2 server.public_url: must be a URL, such as "https://gateway.example.com"',
    ],
    [
      'sessions without an end',
      `[console]\nsession_hours = 0\n${CATALOGUE}`,
      '2 console.session_hours: must be a whole number from 1 to 8760 (hours that a session lasts)',
    ],
    [
      'a date that is written otherwise',
      price('created = "31.3.2026"\nprice = { input = 1, output = 1 }'),
      '5 models[0].created: must be a date in quotes, such as "2026-03-31" (the release date that callers see; default: the date of the file)',
    ],
    [
      'a day that does not exist',
      price('created = "2026-02-30"\nprice = { input = 1, output = 1 }'),
      '5 models[0].created: must be a day that exists, such as "2026-03-31"',
    ],
    [
      'an id twice',
      `${CATALOGUE}${MODEL}`,
      '15 models[1].id: must be unique: there is already a model "model"',
    ],
    [
      'no route',
      model('id = "m"\nkind = "text"\nroutes = []\nprice = { input = 1, output = 1 }'),
      '4 models[0].routes: must be a list of at least 1',
    ],
    [
      'a route to a misspelt provider',
      price('price = { input = 1, output = 1 }').replace('"acme", model', '"acm", model'),
      '4 models[0].routes[0].provider: unknown provider "acm"; did you mean "acme"?',
    ],
    [
      'an endpoint of a provider that has one only',
      price('price = { input = 1, output = 1 }').replace(
        'model = "x"',
        'model = "x", endpoint = "responses"',
      ),
      '4 models[0].routes[0].endpoint: is for providers with protocol = "openai" only',
    ],
    [
      'the endpoint responses at a provider without it',
      `${PROVIDER.replace('"gemini"', '"openai"')}${MODEL.replace(/model = "([^"]+)" \}/, 'model = "$1", endpoint = "responses" }')}`,
      '11 models[0].routes[0].endpoint: needs a provider that speaks the Responses API: set its responses = true',
    ],
    [
      'a generation of an embedding model',
      `${PROVIDER}${MODEL.replace('"text"', '"embedding"')
        .replace(', output = 2', '')
        .replace(/model = "([^"]+)" \}/, 'model = "$1", generation = "gpt-5.4" }')}`,
      '11 models[0].routes[0].generation: is for text and image models only',
    ],
    [
      'an empty generation',
      price('price = { input = 1, output = 1 }').replace('model = "x"', 'model = "x", generation = ""'),
      '4 models[0].routes[0].generation: must be the name of a model, such as "gpt-5.4" (the model whose rules apply, if `model` is a name of your own)',
    ],
    [
      'an endpoint that does not exist',
      price('price = { input = 1, output = 1 }').replace('model = "x"', 'model = "x", endpoint = "chat"'),
      '4 models[0].routes[0].endpoint: must be one of "chat_completions" or "responses" (the endpoint for every call; by default it depends on model and call)',
    ],
    [
      'an embedding model at a provider whose protocol has none',
      `${PROVIDER.replace('"gemini"', '"anthropic"')}${MODEL.replace('"text"', '"embedding"').replace(', output = 2', '')}`,
      '11 models[0].routes[0].provider: must be a provider of another protocol: "anthropic" has no embedding models',
    ],
    [
      'a route to an unknown provider',
      price('price = { input = 1, output = 1 }').replace('"acme", model', '"elsewhere", model'),
      '4 models[0].routes[0].provider: unknown provider "elsewhere"; allowed: acme',
    ],
    [
      'a size in words',
      model(
        'id = "m"\nkind = "image"\nroutes = [{ provider = "acme", model = "x" }]\nsizes = [\n"auto",\n"big"]\nprice = { per_image = 1 }',
      ),
      '7 models[0].sizes[1]: must be "auto" or a size such as "1024x1024" or "4K"',
    ],
    [
      'a limit above the context',
      price('context = 100\nmax_output_tokens = 101\nprice = { input = 1, output = 1 }'),
      "6 models[0].max_output_tokens: must be at most the model's context, which is 100",
    ],

    ...[
      [
        '["low", "extreme"]',
        '[1]: must be one of "none", "minimal", "low", "medium", "high", "xhigh" or "max"',
      ],
      ['["Low"]', '[0]: must be one of "none", "minimal", "low", "medium", "high", "xhigh" or "max"'],
      ['[1]', '[0]: must be one of "none", "minimal", "low", "medium", "high", "xhigh" or "max"'],
      ...['[]', '"low"', '["low", "low"]'].map((list) => [
        list,
        ': must be a list of efforts, such as ["low", "medium", "high"], each of them once (the reasoning efforts that the model accepts; default: those of its generation)',
      ]),
    ].map(([list = '', mistake = '']): [string, string, string] => [
      `efforts = ${list}`,
      price(`efforts = ${list}\nprice = { input = 1, output = 1 }`),
      `5 models[0].efforts${mistake}`,
    ]),
    [
      'efforts of a model of another kind',
      model(
        'id = "m"\nkind = "rerank"\nroutes = [{ provider = "acme", model = "x" }]\nefforts = ["low"]\nprice = { search = 1 }',
      ),
      '5 models[0].efforts: unknown field; allowed: id, display_name, created, shutdown_date, retired, routes, kind, unknown_fields, price',
    ],
    ['no price', price(''), '1 models[0].price: is missing: it must be a table'],
    [
      'half a price',
      price('[models.price]\ninput = 1'),
      '5 models[0].price.output: is missing: it must be an amount in USD of at most nine decimals, such as 0.30 (USD per million output tokens; thinking too, unless it has a rate of its own)',
    ],
    [
      'a price in words',
      price('[models.price]\ninput = "free"\noutput = 1'),
      '6 models[0].price.input: must be an amount in USD of at most nine decimals, such as 0.30',
    ],
    [
      'a price below zero',
      price('[models.price]\ninput = "-1"\noutput = 1'),
      '6 models[0].price.input: must be between 0 and 1000000 USD',
    ],
    [
      'a price of ten decimals',
      price('[models.price]\ninput = 1\noutput = 0.1234567891'),
      '7 models[0].price.output: must be an amount in USD of at most nine decimals, such as 0.30',
    ],
    [
      'a price above the maximum',
      price('[models.price]\ninput = 1\noutput = 1000000.01'),
      '7 models[0].price.output: must be between 0 and 1000000 USD',
    ],
    [
      'a price that is not a number',
      price('[models.price]\ninput = 1\noutput = nan'),
      '7 models[0].price.output: must be an amount in USD of at most nine decimals, such as 0.30 (USD per million output tokens; thinking too, unless it has a rate of its own)',
    ],
    [
      'a misspelt rate',
      price('[models.price]\ninput = 1\noutput = 1\ncached_read = 1'),
      '8 models[0].price.cached_read: unknown field; did you mean "cache_read"?',
    ],
    [
      'tiers that do not rise',
      price(
        '[models.price]\ninput = 1\noutput = 1\n[[models.price.tiers]]\nabove = 5\ninput = 1\noutput = 1\n[[models.price.tiers]]\nabove = 5\ninput = 1\noutput = 1',
      ),
      '13 models[0].price.tiers[1].above: must be more than the 5 of the tier before it',
    ],
    [
      'a tier with a wrong rate',
      price(
        '[models.price]\ninput = 1\noutput = 1\n[[models.price.tiers]]\nabove = 5\ninput = "x"\noutput = 1',
      ),
      '10 models[0].price.tiers[0].input: must be an amount in USD of at most nine decimals, such as 0.30',
    ],
    [
      'an image price that is never applied',
      model(
        'id = "m"\nkind = "image"\nroutes = [{ provider = "acme", model = "x" }]\nprice = { per_image = 1, variants = [{ size = "a", per_image = 1 }, { size = "a", quality = "low", per_image = 2 }] }',
      ),
      '5 models[0].price.variants[1]: is never applied: put it before variants[0], which fits first',
    ],
  ])('%s', (_case, text, mistake) => {
    expect(mistakesOf(text)).toContain(mistake)
  })

  test('all mistakes are reported at once, in the order of their lines; no part hides another', () => {
    const text = `
[server]
log_level = "loud"
[[providers]]
name = "one"
protocol = "gemini"
base_url = "https://one.example"
api_keys = ["env:"]
[[providers]]
name = "two"
protocol = 2
base_url = "simulator"
[[models]]
id = "first"
kind = "text"
routes = [{ provider = "two", model = "x", wait = 1 }]
[[models]]
id = "second"
kind = "text"
routes = [{ provider = "three", model = "x" }]
price = { input = 1, output = "x" }
`
    const reading = read(text)
    const reported = reading.ok ? [] : reading.mistakes.map(({ line, path }) => `${line} ${path}`)
    expect(reported).toEqual([
      '3 server.log_level',
      '8 providers[0].api_keys[0]',
      '11 providers[1].protocol',
      '13 models[0].price',
      '16 models[0].routes[0].wait',
      '20 models[1].routes[0].provider',
      '21 models[1].price.output',
    ])
  })

  test('no mistake repeats a secret', () => {
    const text = provider(
      'name = 1\nprotocol = "gemini"\nbase_url = "https://u:s3cret@x"\napi_keys = ["s3cret", 5]',
    )
    const other = provider(
      'name = "acme"\nprotocol = "gemini"\nbase_url = "https://u:s3cret@x"\nheaders = { a = "s3cret\\n" , "b c" = "s3cret" }',
    )
    expect([...mistakesOf(text), ...mistakesOf(other)].join('\n')).not.toContain('s3cret')
  })

  test('a mistake prints as one line that editors can jump to', () => {
    expect(formatMistake('tollgate.toml', { path: 'server.listen', line: 3, message: 'must be …' })).toBe(
      'tollgate.toml:3: server.listen: must be …',
    )
    expect(formatMistake('tollgate.toml', { path: '', line: 3, message: 'is not TOML' })).toBe(
      'tollgate.toml:3: is not TOML',
    )
  })
})

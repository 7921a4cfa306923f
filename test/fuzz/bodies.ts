// The bodies of the fuzz: valid requests of the native surface, distorted in their structure or in their bytes.
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import type { Random } from '../money/ledger/random.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const VALID: readonly [JsonObject, ...JsonObject[]] = [
  { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  {
    contents: [
      {
        role: 'user',
        parts: [{ text: 'What is it?' }, { inline_data: { mime_type: 'image/png', data: PIXEL } }],
      },
      { role: 'model', parts: [{ text: 'A pixel.' }] },
      { role: 'user', parts: [{ text: 'Which colour?' }] },
    ],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    generationConfig: {
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      candidateCount: 1,
      stopSequences: ['end'],
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { colour: { type: 'STRING' } } },
      thinkingConfig: { thinkingBudget: -1, includeThoughts: true },
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  },
  {
    contents: [
      { role: 'user', parts: [{ text: 'Weather?' }] },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: { place: 'Oslo' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { celsius: 4 } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'weather', parameters: { type: 'OBJECT', properties: {} } }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    cachedContent: 'cachedContents/abc',
  },
  { contents: [{ parts: [{ fileData: { mimeType: 'image/png', fileUri: 'https://files.test/a' } }] }] },
]

/** A value that is invalid almost anywhere. */
function nasty(random: Random): Json {
  return random.pick<() => Json>([
    () => null,
    () => true,
    () => 0,
    () => -1,
    () => 1e308,
    () => 2 ** 53,
    () => 0.1,
    () => '',
    () => '\u0000',
    () => '\ud800',
    () => '-1',
    () => '9007199254740993',
    () => 'x'.repeat(10_000),
    () => [],
    () => ({}),
    () => [[], {}],
    () => ({ toString: 'x', valueOf: null, length: -1 }),
    () => nested(random.below(3_000)),
  ])()
}

const nested = (depth: number): Json => {
  let value: Json = []
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { parts: value }
  return value
}

const NAMES = [
  '__proto__',
  'constructor',
  'contents',
  'parts',
  'text',
  'inlineData',
  'inline_data',
  'generation_config',
  'maxOutputTokens',
  'max_output_tokens',
  '',
] as const

/** A copy in which one place is replaced, removed, doubled or added. */
export function distort(value: Json, random: Random): Json {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return nasty(random)
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1)
    const [item] = value.slice(at, at + 1)
    if (item === undefined || random.chance(0.1)) return [...value, nasty(random)]
    return random.chance(0.1) ? [...value, item] : value.with(at, distort(item, random))
  }
  const names = Object.keys(value)
  const name = names[random.below(names.length)]
  if (name === undefined || random.chance(0.1)) return { ...value, [random.pick(NAMES)]: nasty(random) }
  const { [name]: item = null, ...rest } = value
  return random.chance(0.1) ? rest : { ...rest, [name]: distort(item, random) }
}

interface Body {
  bytes: Buffer
  content_type: string
}

const BYTE_DISTORTIONS: readonly [
  (bytes: Buffer, random: Random) => Buffer,
  ...((bytes: Buffer, random: Random) => Buffer)[],
] = [
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => Buffer.from(bytes).fill(0x80 + random.below(0x80), random.below(bytes.length)),
  (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
  (bytes) => Buffer.concat([bytes, bytes]),
  (bytes) => Buffer.from(bytes.toString(), 'utf16le'),
  (_, random) => Buffer.from('['.repeat(1 + random.below(200_000))),
  (_, random) => Buffer.from(`{"contents":${'['.repeat(1 + random.below(50_000))}`),
  (_, random) => {
    const depth = 1 + random.below(20_000)
    return Buffer.from(
      `{"contents":[{"parts":[{"functionCall":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}]}]}`,
    )
  },
  () => Buffer.alloc(0),
  () => Buffer.from('null'),
  () => Buffer.from('{"contents":[{"parts":[{"text":"a"}]}],"generationConfig":{"maxOutputTokens":1e999}}'),
  () => Buffer.from('{"__proto__":{"contents":[]},"contents":[{"parts":[{"text":"a"}]}]}'),
  () => Buffer.from('--x\r\nContent-Disposition: form-data; name="contents"\r\n\r\n[]\r\n--x--\r\n'),
]

const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  'nonsense',
  '',
] as const

/** One body, rarely valid. */
export function fuzzBody(random: Random): Body {
  let body: Json = random.pick(VALID)
  for (let times = random.below(3); times > 0; times--) body = distort(body, random)
  const bytes = Buffer.from(JSON.stringify(body))
  return {
    bytes: random.chance(0.2) ? random.pick(BYTE_DISTORTIONS)(bytes, random) : bytes,
    content_type: random.chance(0.7) ? 'application/json' : random.pick(TYPES),
  }
}

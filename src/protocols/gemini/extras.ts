// Extras of native requests, billed beyond tokens: the fields that request them, and their counts in answers.
// https://ai.google.dev/api/caching#Tool, https://ai.google.dev/gemini-api/docs/pricing
import { STANDARD_TIER, tierNamed } from '../../domain/service-tiers.ts'
import { withoutTrailing } from '../../utilities/text-ends.ts'
import { AUDIO_OUTPUT, judgeModalities } from '../audio-output.ts'
import {
  applyRules,
  billedRule,
  type ExtrasCount,
  extrasFrom,
  type FieldRule,
  fieldRules,
  judgeServiceTier,
  type ServiceTierProtocol,
  storedStateRefusal,
  storedStateRule,
  toolsIn,
  unknownTool,
} from '../extras.ts'
import { namesOf } from '../forms.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  lookUp,
  objectIn,
  objectsIn,
  refusal,
  stringIn,
} from '../wire/json.ts'
import { reduce, snakeOf } from '../wire/json-names.ts'
import { carries } from './carries.ts'
import { GenerateContentRequest, GenerationConfig } from './decode-request.ts'
import { audioPartTokens, outputAudio } from './usage.ts'

const UNITS = {
  google_search: 'queries',
  google_search_retrieval: 'queries',
  enterprise_web_search: 'queries',
  google_maps: 'grounded answers',
  url_context: 'addresses',
  code_execution: 'executions',
  audio_output: 'audio tokens',
  file_search: null,
  computer_use: null,
  retrieval: null,
  mcp_servers: null,
  exa_ai_search: null,
  parallel_ai_search: null,
  model_routing: null,
} as const

type Name = keyof typeof UNITS

const NOT_TOOLS: readonly Name[] = ['audio_output', 'model_routing']

/** Tools that the provider runs, by their field. */
const SERVER_TOOLS: ReadonlyMap<string, string> = new Map(
  (Object.keys(UNITS) as Name[])
    .filter((name) => !NOT_TOOLS.includes(name))
    .map((name) => [reduce(name), name]),
)

const judgeTools: FieldRule = (value, at, found) => {
  // The provider accepts a single tool in place of the array.
  const tools = isObject(value) ? [value] : toolsIn(value, at)
  for (const [index, tool] of tools.entries())
    for (const key of Object.keys(tool)) {
      if (key === 'functionDeclarations' || reduce(key) === 'functiondeclarations') continue
      const name = SERVER_TOOLS.get(reduce(key))
      const path = `${isObject(value) ? at : `${at}[${index}]`}.${key}`
      if (name === undefined) throw unknownTool(path, 'functionDeclarations')
      found.push({ name, at: path, is_charged: true })
    }
}

const judgeContents: FieldRule = (value, at) => {
  if (!Array.isArray(value)) return
  let index = 0
  for (const content of value) {
    if (isObject(content) && needsLook(content.parts)) judgeParts(content.parts, `${at}[${index}].parts`)
    index++
  }
}

const judgeSystem: FieldRule = (value, at) => {
  const { parts } = objectIn(value)
  if (needsLook(parts)) judgeParts(parts, `${at}.parts`)
}

/** Whether any part has a field with a rule. Nearly no content does, so that no paths have to be built. */
function needsLook(parts: Json | undefined): boolean {
  if (Array.isArray(parts)) return parts.some(needsLook)
  if (!isObject(parts)) return false
  for (const name in parts) if (!PART.plain.has(name)) return true
  return false
}

function judgeParts(parts: Json | undefined, at: string): void {
  if (isObject(parts)) applyRules(PART, parts, at, [])
  if (!Array.isArray(parts)) return
  for (const [index, part] of parts.entries())
    if (isObject(part)) applyRules(PART, part, `${at}[${index}]`, [])
}

const judgeFile: FieldRule = (value, at) => {
  const file = objectIn(value)
  const name = Object.keys(file).find((key) => reduce(key) === 'fileuri') ?? 'fileUri'
  if (!isPublicAddress(stringIn(file[name]) ?? '')) throw storedStateRefusal(`${at}.${name}`)
}

/** Hosts with files that belong to a key. Google's public storage is the exception. */
const PROVIDER_HOST = /(^|\.)googleapis\.com$/
const PUBLIC_HOST = /^([^/]+\.)?storage\.googleapis\.com$/
/** A file in the provider's store, under any host: https://ai.google.dev/api/files. */
const STORED_FILE = /^\/v\d+(?:(?:alpha|beta)\d*)?\/files\//

/** Whether an address is public. The provider reads buckets (`gs://`) and stored files with the operator's key. */
function isPublicAddress(uri: string): boolean {
  const url = URL.parse(uri)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return false
  const host = withoutTrailing(url.hostname, '.')
  return (!PROVIDER_HOST.test(host) || PUBLIC_HOST.test(host)) && !STORED_FILE.test(url.pathname)
}

const PART = fieldRules(
  {
    fileData: judgeFile,
    functionResponse: (value, at) => judgeParts(objectIn(value).parts, `${at}.parts`),
  },
  ['text', 'inlineData', 'functionCall', 'thought', 'thoughtSignature'],
)

/** Vertex AI's responseFormat has one field for each modality, beside or in place of `responseModalities`. */
const judgeFormat: FieldRule = (value, at, found) => {
  for (const [name, format] of Object.entries(objectIn(value)))
    if (format !== null) judgeModalities(name, `${at}.${name}`, found)
}

const judgeMisplacedTier: FieldRule = (value, at) => {
  if ((tierNamed(value) ?? STANDARD_TIER) !== STANDARD_TIER)
    throw refusal(at, 'has no effect here: write serviceTier at the top of the request.')
}

const CONFIG = fieldRules(
  {
    // The API has it only at the top; in generationConfig, some servers might read it and others not.
    serviceTier: judgeMisplacedTier,
    // Vertex AI: the request may be answered by another model.
    routingConfig: billedRule('model_routing'),
    modelSelectionConfig: billedRule('model_routing'),
    modelConfig: billedRule('model_routing'),
    responseModalities: judgeModalities,
    speechConfig: billedRule(AUDIO_OUTPUT),
    responseFormat: judgeFormat,
    // Google's SDKs have it in their configuration, which some servers take for the protocol's format.
    tools: judgeTools,
  },
  namesOf(GenerationConfig),
)

const MEMORY = {
  contents: judgeContents,
  systemInstruction: judgeSystem,
  continuationToken: storedStateRule(),
  previousInteractionId: storedStateRule(),
}
const BILL = {
  serviceTier: judgeServiceTier,
  tools: judgeTools,
  generationConfig: ((value, at, found) => applyRules(CONFIG, objectIn(value), at, found)) as FieldRule,
}

const inBothSpellings = (names: readonly string[]): string[] => [...names, ...names.map(snakeOf)]

const GroundingMetadata = ['webSearchQueries', 'imageSearchQueries'] as const

/**
 * Counts the extras of an answer. Each candidate reports its own searches, in its last event or in all of them, so the largest number
 * counts. Each code execution is reported once, as a part of the answer. Audio tokens come from the usage, or else from received audio.
 */
class Count implements ExtrasCount {
  readonly #largest = new Map<string, number>()
  #executions = 0
  #audio_counted: number | undefined
  #audio_received = 0

  read(answer: JsonObject): void {
    if (isObject(answer.usageMetadata))
      this.#audio_counted = outputAudio(answer.usageMetadata) ?? this.#audio_counted
    for (const [place, candidate] of objectsIn(answer.candidates).entries()) {
      const index = typeof candidate.index === 'number' ? candidate.index : place
      const grounding = objectIn(candidate.groundingMetadata)
      const queries = GroundingMetadata.reduce((sum, field) => sum + textsIn(grounding[field]), 0)
      this.#atLeast('queries', index, queries)
      const has_places = objectsIn(grounding.groundingChunks).some(({ maps }) => isObject(maps))
      this.#atLeast('places', index, has_places ? 1 : 0)
      const { urlMetadata } = objectIn(candidate.urlContextMetadata)
      this.#atLeast('addresses', index, objectsIn(urlMetadata).length)
      for (const part of objectsIn(objectIn(candidate.content).parts)) {
        if (isObject(part.executableCode)) this.#executions++
        this.#audio_received += audioPartTokens(part.inlineData) ?? 0
      }
    }
  }

  units(name: string): number | undefined {
    if (name === 'code_execution') return this.#executions
    if (name === AUDIO_OUTPUT) return this.#audio_counted ?? this.#audio_received
    const kind = COUNTED.get(name)
    if (kind === undefined) return undefined
    let sum = 0
    for (const [key, count] of this.#largest) if (key.startsWith(kind)) sum += count
    return sum
  }

  #atLeast(kind: string, index: number, count: number): void {
    const key = `${kind} ${index}`
    this.#largest.set(key, Math.max(count, this.#largest.get(key) ?? 0))
  }
}

const COUNTED: ReadonlyMap<string, string> = new Map([
  ['google_search', 'queries'],
  ['google_search_retrieval', 'queries'],
  ['enterprise_web_search', 'queries'],
  ['google_maps', 'places'],
  ['url_context', 'addresses'],
])

/** The number of non-empty texts in a list: empty queries are not billed. A value that is not a list counts as one. */
const textsIn = (value: Json | undefined = null): number => {
  if (Array.isArray(value)) return value.filter((text) => typeof text === 'string' && text !== '').length
  return value === null ? 0 : 1
}

/** Includes `cachedContent`, which has no rule because readRequest checks it. */
const FIELDS = [...namesOf(GenerateContentRequest), ...Object.keys(carries.own_fields)].filter(
  (name) => !name.includes('.'),
)

/** Vertex AI's names of the Gemini API's `serviceTier`: the types `TrafficType` and `ServiceTier` of @google/genai. */
const TIER_OF_TRAFFIC: Readonly<Record<string, string>> = {
  ON_DEMAND: STANDARD_TIER,
  ON_DEMAND_PRIORITY: 'priority',
  ON_DEMAND_FLEX: 'flex',
}

const service_tier: ServiceTierProtocol = {
  answer_fields: ['serviceTier', 'trafficType'],
  served({ usageMetadata }) {
    const { serviceTier, trafficType } = objectIn(usageMetadata)
    return tierNamed(serviceTier) ?? lookUp(TIER_OF_TRAFFIC, trafficType)
  },
  ask: (body, tier) => ({ ...body, serviceTier: tier }),
}

export const extras = extrasFrom({
  units: UNITS,
  fields: inBothSpellings(FIELDS),
  memory: MEMORY,
  bill: BILL,
  count: () => new Count(),
  service_tier,
})

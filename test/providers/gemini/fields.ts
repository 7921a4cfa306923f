// Rules that refuse unknown fields of the Gemini API. Each known field has two spellings.
import type { Refusal } from '../dialect.ts'
import { isObject, type JsonObject, listOf, objectOf, pick } from '../json.ts'
import type { Rule } from '../rule.ts'
import { snakeCase } from './spelling.ts'

/** Names in camelCase, which are accepted in snake_case, too. */
const names = (text: string): ReadonlySet<string> => {
  const camel = text.split(/\s+/)
  return new Set([...camel, ...camel.map(snakeCase)])
}

/** https://ai.google.dev/api/generate-content#request-body, and `@google/genai` 3.1. */
const FIELDS = names(
  'model contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent serviceTier store labels',
)
const CONFIG_FIELDS = names(
  `temperature topP topK candidateCount maxOutputTokens stopSequences responseLogprobs logprobs presencePenalty
  frequencyPenalty seed responseMimeType responseSchema responseJsonSchema _responseJsonSchema responseModalities
  mediaResolution speechConfig thinkingConfig imageConfig enableEnhancedCivicAnswers responseFormat
  audioTranscriptionConfig`,
)
const PART_FIELDS = names(
  `text inlineData fileData functionCall functionResponse executableCode codeExecutionResult thought thoughtSignature
  videoMetadata mediaResolution partMetadata toolCall toolResponse`,
)
const TOOL_FIELDS = names(
  `functionDeclarations googleSearch googleSearchRetrieval codeExecution urlContext fileSearch googleMaps computerUse
  mcpServers enterpriseWebSearch retrieval`,
)
const DECLARATION_FIELDS = names(
  'name description parameters parametersJsonSchema response responseJsonSchema behavior',
)
/** https://ai.google.dev/api/caching#Schema */
const SCHEMA_FIELDS = names(
  `type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength
  maxLength pattern example anyOf propertyOrdering default items minimum maximum`,
)

/** An unknown name; the path is as the API writes it. */
interface UnknownName {
  readonly name: string
  readonly path: string
}

const unknownIn = (object: JsonObject, known: ReadonlySet<string>, path: string): UnknownName[] =>
  Object.keys(object).flatMap((name) => (known.has(name) ? [] : [{ name, path }]))

const inList = (list: unknown, find: (item: JsonObject, at: number) => UnknownName[]): UnknownName[] =>
  listOf(list).map(objectOf).flatMap(find)

/** All unknown names in a schema, and in those inside it. */
function inSchema(schema: unknown, path: string): UnknownName[] {
  if (!isObject(schema)) return []
  const { properties, items } = schema
  return [
    ...unknownIn(schema, SCHEMA_FIELDS, path),
    ...Object.values(objectOf(properties)).flatMap((inner, at) =>
      inSchema(inner, `${path}.properties[${at}].value`),
    ),
    ...inSchema(items, `${path}.items`),
    ...listOf(pick(schema, 'anyOf', 'any_of')).flatMap((inner, at) =>
      inSchema(inner, `${path}.any_of[${at}]`),
    ),
  ]
}

const inTools = (body: JsonObject): UnknownName[] =>
  inList(body.tools, (tool, at) => [
    ...unknownIn(tool, TOOL_FIELDS, `tools[${at}]`),
    ...inList(pick(tool, 'functionDeclarations', 'function_declarations'), (declared, nth) => {
      const path = `tools[${at}].function_declarations[${nth}]`
      return [
        ...unknownIn(declared, DECLARATION_FIELDS, path),
        ...inSchema(declared.parameters, `${path}.parameters`),
      ]
    }),
  ])

const inConfig = (body: JsonObject): UnknownName[] => {
  const config = objectOf(pick(body, 'generationConfig', 'generation_config'))
  return [
    ...unknownIn(config, CONFIG_FIELDS, 'generation_config'),
    ...inSchema(pick(config, 'responseSchema', 'response_schema'), 'generation_config.response_schema'),
  ]
}

const inContents = (body: JsonObject): UnknownName[] =>
  inList(body.contents, (content, at) =>
    inList(content.parts, (part, nth) => unknownIn(part, PART_FIELDS, `contents[${at}].parts[${nth}]`)),
  )

function refusalOf(unknown_names: readonly UnknownName[]): Refusal | undefined {
  const [first] = unknown_names
  if (!first) return undefined
  const words = unknown_names.map(({ name, path }) =>
    path === ''
      ? `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`
      : `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`,
  )
  return { status: 400, message: words.join('\n'), field: first.path }
}

const rule = (name: string, source: string, find: (body: JsonObject) => UnknownName[]): Rule => ({
  name: `gemini: ${name}`,
  source,
  find: ({ body }) => refusalOf(find(body)),
})

export const FIELD_RULES: readonly Rule[] = [
  rule('unknown field', 'https://github.com/Alishahryar1/free-claude-code/issues/542', (body) =>
    unknownIn(body, FIELDS, ''),
  ),
  rule(
    'unknown field of the configuration',
    'https://ai.google.dev/api/generate-content#generationconfig, https://github.com/googleapis/go-genai/issues/779',
    inConfig,
  ),
  rule(
    'unknown field of a part',
    'https://github.com/google-gemini/gemini-cli/issues/13972, https://ai.google.dev/api/caching#Part',
    inContents,
  ),
  rule(
    'unknown field of a tool or its schema',
    'https://github.com/glowingjade/obsidian-smart-composer/issues/455, https://github.com/zed-industries/zed/issues/44875, https://github.com/zed-industries/zed/issues/62539',
    inTools,
  ),
]

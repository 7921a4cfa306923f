// Decoding of the tools of a native request, and the choice among them.
// https://ai.google.dev/api/caching#Tool, https://ai.google.dev/api/caching#ToolConfig
import type { ToolChoice, ToolDefinition } from '../canonical/fields.ts'
import { rejectUncarried } from '../carries.ts'
import { Choice, Fields, List, namesOf, OpenObject, optional, readPresent, Text } from '../forms.ts'
import { type JsonObject, refusal } from '../wire/json.ts'
import { carries } from './carries.ts'
import { fromGeminiSchema } from './schema.ts'
import { camelCased, readCamelCased } from './spellings.ts'

const MODES = {
  MODE_UNSPECIFIED: { mode: 'auto' },
  AUTO: { mode: 'auto' },
  ANY: { mode: 'any' },
  NONE: { mode: 'none' },
  VALIDATED: { mode: 'auto' },
} as const

// Nested objects have their own forms, because each may use either spelling.
const FunctionDeclaration = Fields({
  name: Text,
  description: optional(Text),
  /** In the provider's own schema format. */
  parameters: optional(OpenObject),
  parametersJsonSchema: optional(OpenObject),
})
const Tool = Fields({ functionDeclarations: optional(List(OpenObject)) })
const FunctionCallingConfig = Fields({
  mode: optional(Choice(MODES)),
  allowedFunctionNames: optional(List(Text)),
})
const ToolConfig = Fields({ functionCallingConfig: optional(OpenObject) })

const TOOL_NAMES = namesOf(Tool)
const TOOL_CONFIG_NAMES = namesOf(ToolConfig)

/** Decodes the functions of one tool. @throws GatewayError invalid_request for tools that the provider runs */
export function decodeTool(raw: JsonObject, at: string): ToolDefinition[] {
  const tool = camelCased(raw, at)
  const other = Object.keys(tool).find((name) => !TOOL_NAMES.has(name))
  if (other !== undefined)
    throw refusal(
      `${at}.${other}`,
      'is run by the provider of Gemini models only; declare a function instead.',
    )
  const { functionDeclarations = [] } = readPresent(Tool, tool, at)
  return functionDeclarations.map((declaration, index) =>
    decodeFunction(declaration, `${at}.functionDeclarations[${index}]`),
  )
}

function decodeFunction(raw: JsonObject, at: string): ToolDefinition {
  const declaration = readCamelCased(FunctionDeclaration, raw, at)
  const { name, description, parameters, parametersJsonSchema } = declaration
  const schema = parameters ? fromGeminiSchema(parameters) : parametersJsonSchema
  return { name, description, parameters: schema, strict: undefined, at }
}

/** Decodes toolConfig. A list of allowed names makes it a named choice. */
export function decodeToolChoice(value: JsonObject, path: string): ToolChoice | undefined {
  const raw = camelCased(value, path)
  rejectUncarried(carries, raw, TOOL_CONFIG_NAMES, path)
  const { functionCallingConfig } = readPresent(ToolConfig, raw, path)
  if (!functionCallingConfig) return undefined
  const { mode = 'AUTO', allowedFunctionNames: names = [] } = readCamelCased(
    FunctionCallingConfig,
    functionCallingConfig,
    `${path}.functionCallingConfig`,
  )
  const choice = MODES[mode]
  if (names.length === 0 || choice.mode === 'none') return choice
  return { mode: 'named', names, required: choice.mode === 'any' }
}

// The tools of a native request and the choice among them, read.
// https://ai.google.dev/api/caching#Tool, https://ai.google.dev/api/caching#ToolConfig
import type { ToolChoice, ToolDefinition } from '../canonical/fields.ts'
import { rejectUncarried } from '../carries.ts'
import { Choice, Fields, List, namesOf, OpenObject, optional, readObject, Text } from '../forms.ts'
import { type Json, refusal, wantObject, wantString } from '../wire/json.ts'
import { camelCased, readCamelCased } from './camel-case.ts'
import { carries } from './carries.ts'
import { fromGeminiSchema } from './schema.ts'

const MODES = {
  MODE_UNSPECIFIED: { mode: 'auto' },
  AUTO: { mode: 'auto' },
  ANY: { mode: 'any' },
  NONE: { mode: 'none' },
  VALIDATED: { mode: 'auto' },
} as const

export const FunctionDeclaration = Fields({
  name: Text,
  description: optional(Text),
  /** In the provider's own form of schema. */
  parameters: optional(OpenObject),
  parametersJsonSchema: optional(OpenObject),
})
export const Tool = Fields({ functionDeclarations: optional(List(FunctionDeclaration)) })
export const FunctionCallingConfig = Fields({
  mode: optional(Choice(MODES)),
  allowedFunctionNames: optional(List(Text)),
})
export const ToolConfig = Fields({ functionCallingConfig: optional(FunctionCallingConfig) })

const TOOL_NAMES = namesOf(Tool)
const TOOL_CONFIG_NAMES = namesOf(ToolConfig)

/** The functions of one tool. @throws GatewayError invalid_request for tools that the provider runs */
export function decodeTool(value: Json | undefined, at: string): ToolDefinition[] {
  const tool = camelCased(wantObject(value, at), at)
  const other = Object.keys(tool).find((name) => !TOOL_NAMES.has(name))
  if (other !== undefined)
    throw refusal(
      `${at}.${other}`,
      'is run by the provider of Gemini models only; declare a function instead.',
    )
  return readObject(Tool, tool, at).each('functionDeclarations', decodeFunction)
}

function decodeFunction(value: Json | undefined, at: string): ToolDefinition {
  const declaration = readCamelCased(FunctionDeclaration, value, at)
  const own = declaration.get('parameters')
  return {
    name: declaration.get('name'),
    description: declaration.get('description'),
    parameters: own ? fromGeminiSchema(own) : declaration.get('parametersJsonSchema'),
    strict: undefined,
    at,
  }
}

/** toolConfig. Names that are allowed make the choice a named one. */
export function decodeToolChoice(value: Json, path: string): ToolChoice | undefined {
  const object = camelCased(wantObject(value, path), path)
  rejectUncarried(carries, object, TOOL_CONFIG_NAMES, path)
  const tool_config = readObject(ToolConfig, object, path)
  const given = tool_config.get('functionCallingConfig')
  if (!given) return undefined
  const config = readCamelCased(FunctionCallingConfig, given, tool_config.at('functionCallingConfig'))
  const choice = MODES[config.get('mode') ?? 'AUTO']
  const names = config.each('allowedFunctionNames', wantString)
  if (names.length === 0 || choice.mode === 'none') return choice
  return { mode: 'named', names, required: choice.mode === 'any' }
}

// Owns the reading of a native request's tools and of the choice among them.
// https://ai.google.dev/api/caching#Tool, https://ai.google.dev/api/caching#ToolConfig
import type { ToolChoice, ToolDefinition } from '../canonical.ts'
import { refuseUncarried } from '../carried.ts'
import { eachOf, type Json, maybe, oneOf, refusal, wantObject, wantString } from '../wire/json.ts'
import { fromGeminiSchema } from './schema.ts'
import { camelCased } from './spelling.ts'

/** All functions of all tools. @throws GatewayError invalid_request for tools that run at the vendor */
export const decodeTools = (value: Json | undefined, path: string): ToolDefinition[] =>
  eachOf(value, path, (item, at) => {
    const tool = camelCased(wantObject(item, at), at)
    for (const name of Object.keys(tool)) {
      if (name !== 'functionDeclarations')
        throw refusal(
          `${at}.${name}`,
          'runs at the vendor of Gemini models only; declare a function instead.',
        )
    }
    return maybe(
      (functions, where) => eachOf(functions, where, decodeFunction),
      tool.functionDeclarations,
      `${at}.functionDeclarations`,
    )
  }).flatMap((tools) => tools ?? [])

function decodeFunction(value: Json | undefined, at: string): ToolDefinition {
  const declaration = camelCased(wantObject(value, at), at)
  const own = maybe(wantObject, declaration.parameters, `${at}.parameters`)
  return {
    name: wantString(declaration.name, `${at}.name`),
    description: maybe(wantString, declaration.description, `${at}.description`),
    parameters: own
      ? fromGeminiSchema(own)
      : maybe(wantObject, declaration.parametersJsonSchema, `${at}.parametersJsonSchema`),
    strict: undefined,
    at,
  }
}

const MODES = {
  MODE_UNSPECIFIED: { mode: 'auto' },
  AUTO: { mode: 'auto' },
  ANY: { mode: 'any' },
  NONE: { mode: 'none' },
  VALIDATED: { mode: 'auto' },
} as const

/** toolConfig. Names that are allowed make the choice a named one. */
export function decodeToolChoice(value: Json | undefined, path: string): ToolChoice | undefined {
  const tool_config = camelCased(wantObject(value, path), path)
  refuseUncarried('gemini', tool_config, new Set(['functionCallingConfig']), path)
  const at = `${path}.functionCallingConfig`
  const given = maybe(wantObject, tool_config.functionCallingConfig, at)
  if (!given) return undefined
  const config = camelCased(given, at)
  const choice = maybe((mode, where) => oneOf(MODES, mode, where), config.mode, `${at}.mode`) ?? MODES.AUTO
  const names =
    maybe(
      (list, where) => eachOf(list, where, wantString),
      config.allowedFunctionNames,
      `${at}.allowedFunctionNames`,
    ) ?? []
  if (names.length === 0 || choice.mode === 'none') return choice
  return { mode: 'named', names, required: choice.mode === 'any' }
}

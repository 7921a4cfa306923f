// Adaptation of a translated native request to the generation of its model.
import { VERTEX_AI } from '../../domain/servers/vertex.ts'
import { generationName } from '../canonical/request.ts'
import { BEGIN, CONTINUE, type FitTarget, type Fitted, jsonOfSchema, ONLY_JSON } from '../fitting.ts'
import { isObject, type Json, type JsonObject, objectIn, objectsIn } from '../wire/json.ts'
import { type Generation, generationOf } from './model.ts'

interface Fitting {
  readonly body: JsonObject
  readonly generation: Generation
  /** Receives the names of left-out fields. */
  readonly dropped: string[]
}

/** Adapts a request to its model; returns the same body if nothing has to change. A caller's own request only gets roles, for Vertex AI. */
export function fitRequest(body: JsonObject, target: FitTarget): Fitted {
  if (!target.is_translated) return { body: target.server === VERTEX_AI ? withRoles(body) : body }
  const generation = generationOf(generationName(target))
  const dropped: string[] = []
  const fitted = fitTurns(fitPenalties({ body, generation, dropped }), generation)
  const instructed = fitJson({ body: fitted, generation, dropped })
  return { body: instructed, dropped, asks_json: instructed !== fitted }
}

/** The Gemini API accepts contents without a role, Vertex AI does not: https://github.com/BerriAI/litellm/issues/32731 */
function withRoles(body: JsonObject): JsonObject {
  const { contents } = body
  if (!Array.isArray(contents) || !contents.some(lacksRole)) return body
  return {
    ...body,
    contents: contents.map((content) =>
      isObject(content) && lacksRole(content) ? { ...content, role: 'user' } : content,
    ),
  }
}

const lacksRole = (content: Json): boolean =>
  isObject(content) && (content.role === undefined || content.role === null || content.role === '')

const CONFIG = 'generationConfig'

/** Removes fields from generationConfig. */
function withoutSettings(body: JsonObject, names: readonly string[]): JsonObject {
  const left = Object.entries(objectIn(body[CONFIG])).filter(([name]) => !names.includes(name))
  const { [CONFIG]: _, ...rest } = body
  return left.length > 0 ? { ...rest, [CONFIG]: Object.fromEntries(left) } : rest
}

const PENALTIES = ['frequencyPenalty', 'presencePenalty']

function fitPenalties({ body, generation, dropped }: Fitting): JsonObject {
  const config = objectIn(body[CONFIG])
  const penalties = PENALTIES.filter((name) => config[name] !== undefined)
  if (generation.takes_penalties || penalties.length === 0) return body
  dropped.push(...penalties.filter((name) => config[name] !== 0).map((name) => `${CONFIG}.${name}`))
  return withoutSettings(body, penalties)
}

/** Requests JSON by an instruction, for models that do not accept functions together with JSON. */
function fitJson({ body, generation, dropped }: Fitting): JsonObject {
  const { responseMimeType, responseJsonSchema } = objectIn(body[CONFIG])
  if (generation.takes_functions_with_json || responseMimeType === undefined || body.tools === undefined)
    return body
  if (responseJsonSchema !== undefined) dropped.push(`${CONFIG}.responseJsonSchema`)
  const text = responseJsonSchema === undefined ? ONLY_JSON : jsonOfSchema(responseJsonSchema)
  const { parts } = objectIn(body.systemInstruction)
  return {
    ...withoutSettings(body, ['responseMimeType', 'responseJsonSchema']),
    systemInstruction: { parts: [...objectsIn(parts), { text }] },
  }
}

const userMessage = (text: string): JsonObject => ({ role: 'user', parts: [{ text }] })

/**
 * A conversation must begin with a user's message (https://github.com/google-gemini/gemini-cli/issues/11814), and end with one, or with
 * results, if the model cannot continue its own message.
 */
function fitTurns(body: JsonObject, { takes_prefill }: Generation): JsonObject {
  const contents = objectsIn(body.contents)
  const before = contents[0]?.role === 'user' ? [] : [userMessage(BEGIN)]
  const after = takes_prefill || contents.at(-1)?.role !== 'model' ? [] : [userMessage(CONTINUE)]
  return before.length + after.length === 0 ? body : { ...body, contents: [...before, ...contents, ...after] }
}

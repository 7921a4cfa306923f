// A translated native request, made to fit what its model's generation takes.
import { VERTEX_AI } from '../../domain/servers/vertex.ts'
import { knownAs } from '../canonical/request.ts'
import { BEGIN, CONTINUE, type FitTarget, type Fitted, jsonOfSchema, ONLY_JSON } from '../fitting.ts'
import { isObject, type Json, type JsonObject, objectIn, objectsIn } from '../wire/json.ts'
import { type Generation, generationOf } from './model.ts'

interface Fitting {
  readonly body: JsonObject
  readonly generation: Generation
  /** Takes the names of what is left out. */
  readonly dropped: string[]
}

/** The request as its model takes it; the very same body where nothing has to change, and of what passes through. */
export function fitRequest(body: JsonObject, target: FitTarget): Fitted {
  if (!target.is_translated) return { body: target.server === VERTEX_AI ? withRoles(body) : body }
  const generation = generationOf(knownAs(target))
  const dropped: string[] = []
  const fitted = fitTurns(fitPenalties({ body, generation, dropped }), generation)
  const instructed = fitJson({ body: fitted, generation, dropped })
  return { body: instructed, dropped, asks_json: instructed !== fitted }
}

/** The Gemini API allows contents without a role, Vertex AI does not: https://github.com/BerriAI/litellm/issues/32731 */
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

/** The same request without some fields of its configuration. */
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

/** Beside functions, an instruction requests JSON. */
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
 * A conversation begins with its user (https://github.com/google-gemini/gemini-cli/issues/11814), and ends with it, or with results,
 * where the model takes no answer to continue.
 */
function fitTurns(body: JsonObject, { takes_prefill }: Generation): JsonObject {
  const contents = objectsIn(body.contents)
  const before = contents[0]?.role === 'user' ? [] : [userMessage(BEGIN)]
  const after = takes_prefill || contents.at(-1)?.role !== 'model' ? [] : [userMessage(CONTINUE)]
  return before.length + after.length === 0 ? body : { ...body, contents: [...before, ...contents, ...after] }
}

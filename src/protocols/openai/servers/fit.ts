// A chat completion request, made to fit what its server takes.
import type { Fitted, Sent } from '../../fitted.ts'
import { type Json, type JsonObject, stringIn } from '../../wire/json.ts'
import { generationOf, nearestEffort } from '../model.ts'
import { fitMessages } from './fit-messages.ts'
import { fitTools } from './fit-tools.ts'
import type { Fitting } from './fitting.ts'
import { isServerName } from './servers.ts'
import { TAKEN, TAKEN_BY_OTHERS } from './taken.ts'

type Step = (fitting: Fitting) => JsonObject

const STEPS: readonly Step[] = [refuseFields, renameFields, fitLimit, fitEffort, fitMessages, fitTools]

/**
 * The request as its server takes it; the very same body where nothing has to change. What passes through to a server that nobody
 * knows stays as it is.
 */
export function fitRequest(body: JsonObject, { server, model, is_translated }: Sent): Fitted {
  const known = isServerName(server) ? TAKEN[server] : undefined
  const taken = known ?? (is_translated ? TAKEN_BY_OTHERS : undefined)
  if (!taken) return { body }
  const dropped = new Set<string>()
  const renamed_tools = new Map<string, string>()
  const fitted = STEPS.reduce<JsonObject>(
    (given, step) => step({ body: given, model, taken, dropped, renamed_tools }),
    body,
  )
  const lost = is_translated ? lostField(fitted, { model, taken }) : undefined
  return { body: fitted, dropped: [...dropped], renamed_tools, lost }
}

const fits = ({ models }: { readonly models?: RegExp }, model: string): boolean => models?.test(model) ?? true

/** A field that the server refuses, and without which the answer would be another. */
function lostField(
  body: JsonObject,
  { model, taken: { unable = [] } }: Pick<Fitting, 'model' | 'taken'>,
): string | undefined {
  return unable.find((rule) => fits(rule, model))?.fields.find((name) => isSet(body[name]))
}

const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== false

function refuseFields({ body, model, taken: { refused = [] }, dropped }: Fitting): JsonObject {
  const names = refused
    .filter((rule) => fits(rule, model))
    .flatMap(({ fields }) => fields.filter((name) => Object.hasOwn(body, name)))
  if (names.length === 0) return body
  for (const name of names) if (isSet(body[name])) dropped.add(name)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

/** Clients that know no newer name get their limit all the same. https://github.com/anomalyco/opencode/issues/37964 */
function fitLimit({ body, model, taken }: Fitting): JsonObject {
  if (!taken.limit_by_model || !Object.hasOwn(body, 'max_tokens')) return body
  const { limit_field, efforts } = generationOf(model)
  return limit_field === 'max_tokens' || efforts.length === 0
    ? body
    : renamedIn(body, { max_tokens: limit_field })
}

function renameFields({ body, taken: { renamed = {} } }: Fitting): JsonObject {
  return renamedIn(body, renamed)
}

/** A field that the caller wrote under the server's own name too stays as that. */
function renamedIn(body: JsonObject, renamed: Readonly<Record<string, string>>): JsonObject {
  const names = Object.keys(renamed).filter((name) => Object.hasOwn(body, name))
  if (names.length === 0) return body
  const left = Object.entries(body).filter(([name]) => !names.includes(name))
  const moved = names.map((name) => [renamed[name] ?? name, body[name] ?? null] as const)
  return Object.fromEntries([...moved, ...left])
}

/** From the least to the most; `default` is Groq's only one beside `none`. */
const RISING = ['none', 'minimal', 'low', 'medium', 'default', 'high', 'xhigh', 'max']

function fitEffort(fitting: Fitting): JsonObject {
  const { body, model, taken, dropped } = fitting
  const asked = stringIn(body.reasoning_effort)
  if (asked === undefined) return body
  const { reasoning_effort: _, ...rest } = body
  if (taken.switches_thinking && asked === 'none') return { ...rest, thinking: { type: 'disabled' } }
  const { levels } = taken.efforts?.find((rule) => fits(rule, model)) ?? generationLevels(model, asked)
  if (!levels || levels.includes(asked)) return body
  const level = nearestLevel(levels, asked)
  if (level === undefined) {
    dropped.add('reasoning_effort')
    return rest
  }
  return { ...body, reasoning_effort: level }
}

/** Only what asks for little is looked up: new models may know higher efforts than our table. */
function generationLevels(model: string, asked: string): { levels?: readonly string[] } {
  if (asked !== 'none' && asked !== 'minimal') return {}
  const generation = generationOf(model)
  const lowest = nearestEffort(generation, asked)
  return lowest === undefined ? {} : { levels: generation.efforts }
}

/** The nearest level; `none` stands for nothing but itself. */
function nearestLevel(levels: readonly string[], asked: string): string | undefined {
  const thinking = levels.filter((level) => level !== 'none')
  const distance = (level: string) => Math.abs(RISING.indexOf(level) - RISING.indexOf(asked))
  return thinking.reduce<string | undefined>(
    (nearest, level) => (nearest !== undefined && distance(nearest) < distance(level) ? nearest : level),
    undefined,
  )
}

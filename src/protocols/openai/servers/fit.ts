// A chat completion request, made to fit what its server takes.
import type { Fitted, Sent } from '../../fitted.ts'
import { knownAs } from '../../named-model.ts'
import { type JsonObject, stringIn } from '../../wire/json.ts'
import { generationOf, isOpenAis, nearestEffort } from '../model.ts'
import { fitFormat } from './fit-format.ts'
import { fitGeneration, lostByGeneration } from './fit-generation.ts'
import { fitMessages } from './fit-messages.ts'
import { fitTools } from './fit-tools.ts'
import { asksFor, type Fitting, leftOut, withShortUsers } from './fitting.ts'
import { isServerName } from './servers.ts'
import { TAKEN, TAKEN_BY_OTHERS } from './taken.ts'

type Step = (fitting: Fitting) => JsonObject

const STEPS: readonly Step[] = [
  refuseFields,
  renameFields,
  ({ body, taken }) => withShortUsers(body, taken),
  fitEffort,
  fitGeneration,
  fitFormat,
  fitMessages,
  fitTools,
]

/**
 * The request as its server takes it; the very same body where nothing has to change. What passes through to a server that nobody
 * knows stays as it is.
 */
export function fitRequest(body: JsonObject, sent: Sent): Fitted {
  const { server, is_translated } = sent
  const model = knownAs(sent)
  const known = isServerName(server) ? TAKEN[server] : undefined
  const taken = known ?? (is_translated ? TAKEN_BY_OTHERS : undefined)
  if (!taken) return { body }
  const dropped = new Set<string>()
  const renamed_tools = new Map<string, string>()
  const fitted = STEPS.reduce<JsonObject>(
    (given, step) => step({ body: given, model, taken, is_translated, dropped, renamed_tools }),
    body,
  )
  const lost = is_translated ? lostField(fitted, { model, taken }) : undefined
  return { body: fitted, dropped: [...dropped], renamed_tools, lost }
}

const fits = ({ models }: { readonly models?: RegExp }, model: string): boolean => models?.test(model) ?? true

/** A field that the server refuses, and without which the answer would be another. */
function lostField(
  body: JsonObject,
  { model, taken: { unable = [], by_generation } }: Pick<Fitting, 'model' | 'taken'>,
): string | undefined {
  const refused = unable.find((rule) => fits(rule, model))?.fields ?? []
  const names = by_generation ? [...refused, ...lostByGeneration(body, generationOf(model))] : refused
  return names.find((name) => asksFor(body, name))
}

function refuseFields({ body, model, taken: { refused = [] }, dropped }: Fitting): JsonObject {
  const names = refused.filter((rule) => fits(rule, model)).flatMap(({ fields }) => fields)
  return leftOut(body, names, dropped)
}

/**
 * A field that the caller wrote under the server's own name too stays as that, but a null says nothing: in its place the limit would be
 * lost that the call is held for.
 */
function renameFields({ body, taken: { renamed = {} } }: Fitting): JsonObject {
  const names = Object.keys(renamed).filter((name) => Object.hasOwn(body, name))
  if (names.length === 0) return body
  const moved = Object.fromEntries(names.map((name) => [renamed[name] ?? name, body[name] ?? null]))
  const left = Object.entries(body).filter(
    ([name, value]) => !names.includes(name) && (value !== null || !Object.hasOwn(moved, name)),
  )
  return { ...moved, ...Object.fromEntries(left) }
}

/** From the least to the most; `default` is Groq's only one beside `none`. */
const RISING = ['none', 'minimal', 'low', 'medium', 'default', 'high', 'xhigh', 'max']

function fitEffort(fitting: Fitting): JsonObject {
  const { body, model, taken, dropped } = fitting
  const asked = stringIn(body.reasoning_effort)
  if (asked === undefined || !RISING.includes(asked)) return body
  const { reasoning_effort: _, ...rest } = body
  if (taken.switches_thinking && asked === 'none') return { ...rest, thinking: { type: 'disabled' } }
  const { levels } = taken.efforts?.find((rule) => fits(rule, model)) ?? generationLevels(fitting, asked)
  if (!levels || levels.includes(asked)) return body
  const level = nearestLevel(levels, asked)
  if (level === undefined) {
    dropped.add('reasoning_effort')
    return rest
  }
  return { ...body, reasoning_effort: level }
}

/** Of models whose generation is not known only what asks for little is looked up: they may know higher efforts. */
function generationLevels({ model, taken }: Fitting, asked: string): { readonly levels?: readonly string[] } {
  const generation = generationOf(model)
  if (taken.by_generation && isOpenAis(generation)) return { levels: generation.efforts }
  if (asked !== 'none' && asked !== 'minimal') return {}
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

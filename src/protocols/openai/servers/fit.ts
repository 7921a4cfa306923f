// A chat completion request, made to fit what its server takes.
import type { FitTarget, Fitted } from '../../fit-target.ts'
import { knownAs } from '../../named-model.ts'
import { nearestLevel } from '../../thinking.ts'
import { type JsonObject, stringIn } from '../../wire/json.ts'
import { generationOf, isOpenAis } from '../model.ts'
import { withOwnEffort } from '../thinking-fields.ts'
import { fitFormat } from './fit-format.ts'
import { fitGeneration, lostByGeneration } from './fit-generation.ts'
import { fitMessages } from './fit-messages.ts'
import { fitTools } from './fit-tools.ts'
import { asksFor, type Fitting, leftOut, withShortUsers } from './fitting.ts'
import { RULES, RULES_OF_OTHERS } from './rules.ts'
import { isRuled } from './servers.ts'

type Step = (fitting: Fitting) => JsonObject

const STEPS: readonly Step[] = [
  dropFields,
  renameFields,
  ({ body, rules }) => (rules.by_generation ? withOwnEffort(body) : body),
  ({ body, rules }) => withShortUsers(body, rules),
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
export function fitRequest(body: JsonObject, target: FitTarget): Fitted {
  const { server, is_translated, efforts } = target
  const model = knownAs(target)
  const known = isRuled(server) ? RULES[server] : undefined
  const rules = known ?? (is_translated ? RULES_OF_OTHERS : undefined)
  if (!rules) return { body }
  const dropped = new Set<string>()
  const renamed_tools = new Map<string, string>()
  const fitted = STEPS.reduce<JsonObject>(
    (current, step) => step({ body: current, model, efforts, rules, is_translated, dropped, renamed_tools }),
    body,
  )
  const lost = is_translated ? lostField(fitted, { model, rules }) : undefined
  return { body: fitted, dropped: [...dropped], renamed_tools, lost }
}

const fits = ({ models }: { readonly models?: RegExp }, model: string): boolean => models?.test(model) ?? true

/** A field that the server refuses, and without which the answer would be another. */
function lostField(
  body: JsonObject,
  { model, rules: { refused_fields = [], by_generation } }: Pick<Fitting, 'model' | 'rules'>,
): string | undefined {
  const refused = refused_fields.find((rule) => fits(rule, model))?.fields ?? []
  const names = by_generation ? [...refused, ...lostByGeneration(body, generationOf(model))] : refused
  return names.find((name) => asksFor(body, name))
}

function dropFields({ body, model, rules: { dropped_fields = [] }, dropped }: Fitting): JsonObject {
  const names = dropped_fields.filter((rule) => fits(rule, model)).flatMap(({ fields }) => fields)
  return leftOut(body, names, dropped)
}

/**
 * A field that the caller wrote under the server's own name too stays as that, but a null says nothing: in its place the limit would be
 * lost that the call is held for.
 */
function renameFields({ body, rules: { renamed = {} } }: Fitting): JsonObject {
  const names = Object.keys(renamed).filter((name) => Object.hasOwn(body, name))
  if (names.length === 0) return body
  const moved = Object.fromEntries(names.map((name) => [renamed[name] ?? name, body[name] ?? null]))
  const left = Object.entries(body).filter(
    ([name, value]) => !names.includes(name) && (value !== null || !Object.hasOwn(moved, name)),
  )
  return { ...moved, ...Object.fromEntries(left) }
}

/** From the least to the most; `default` is Groq's only one beside `none`, which stands for nothing but itself. */
const RISING = ['none', 'minimal', 'low', 'medium', 'default', 'high', 'xhigh', 'max']

function fitEffort(fitting: Fitting): JsonObject {
  const { body, model, efforts, rules, dropped } = fitting
  const requested = stringIn(body.reasoning_effort)
  if (requested === undefined || !RISING.includes(requested)) return body
  const { reasoning_effort: _, ...rest } = body
  if (rules.switches_thinking && requested === 'none') return { ...rest, thinking: { type: 'disabled' } }
  const { levels } = efforts
    ? { levels: efforts }
    : (rules.efforts?.find((rule) => fits(rule, model)) ?? generationLevels(fitting, requested))
  if (!levels || levels.includes(requested)) return body
  const thinking_levels = levels.filter((level) => level !== 'none')
  const level = nearestLevel(RISING, thinking_levels, requested)
  if (level === undefined) {
    dropped.add('reasoning_effort')
    return rest
  }
  return { ...body, reasoning_effort: level }
}

/** Models of other generations may know higher efforts than are known here: only what asks for little is looked up. */
function generationLevels(
  { model, rules }: Fitting,
  requested: string,
): { readonly levels?: readonly string[] } {
  const generation = generationOf(model)
  const { efforts } = generation
  if (rules.by_generation && isOpenAis(generation)) return { levels: efforts }
  return (requested === 'none' || requested === 'minimal') && efforts.length > 0 ? { levels: efforts } : {}
}

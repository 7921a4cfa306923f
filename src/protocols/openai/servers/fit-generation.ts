// A chat completion request, made to fit the generation of OpenAI's models that it goes to.
import { hasItems, type JsonObject, stringIn } from '../../wire/json.ts'
import { type Generation, generationOf, takesSampling } from '../model.ts'
import { type Fitting, leftOut } from './fitting.ts'

/** Without them the model answers the same question, in other words. */
const SAMPLING = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const
/** Without them an answer lacks what the caller requested. */
const PROBABILITIES = ['logprobs', 'top_logprobs', 'logit_bias'] as const

const effortIn = ({ reasoning_effort }: JsonObject): string | undefined => stringIn(reasoning_effort)

/** OpenAI's own servers refuse what a generation lacks. Translation leaves its sampling out for other servers too, and names it. */
export function fitGeneration(fitting: Fitting): JsonObject {
  const { model, rules, is_translated, dropped } = fitting
  const generation = generationOf(model)
  if (!generation.reasons || !(rules.by_generation || is_translated)) return fitting.body
  const body = rules.by_generation ? withKnownLimit(unreasoned(fitting, generation)) : fitting.body
  const refused: string[] = takesSampling(generation, effortIn(body)) ? [] : [...SAMPLING]
  if (!generation.takes_parallel_tool_calls) refused.push('parallel_tool_calls')
  return leftOut(body, refused, dropped)
}

/** The fields that the generation refuses, and without which an answer would be another. */
export function lostByGeneration(body: JsonObject, generation: Generation): readonly string[] {
  const stop = generation.takes_stop ? [] : ['stop']
  return takesSampling(generation, effortIn(body)) ? stop : [...stop, ...PROBABILITIES]
}

/** One limit under its other name; of two, the server refuses one. */
function withKnownLimit(body: JsonObject): JsonObject {
  const { max_tokens, ...rest } = body
  if (max_tokens === undefined || (body.max_completion_tokens ?? null) !== null) return body
  return { ...rest, max_completion_tokens: max_tokens }
}

/** Chat completions of later generations take tools without reasoning only; both together is for responses. */
function unreasoned({ body, dropped }: Fitting, { chat_lacks, default_effort }: Generation): JsonObject {
  const effort = effortIn(body) ?? default_effort
  if (chat_lacks !== 'reasoning_with_tools' || effort === 'none' || !hasItems(body.tools)) return body
  dropped.add('reasoning_effort')
  return { ...body, reasoning_effort: 'none' }
}

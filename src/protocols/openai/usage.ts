// Owns what a chat completion's usage says of the tokens that are billed, both ways.
// https://platform.openai.com/docs/api-reference/chat/object#chat/object-usage
import { estimateTokens } from '../../domain/token-estimate.ts'
import { promptTokens, totalTokens, type Usage } from '../../domain/usage.ts'
import { countIn, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'

/**
 * The usage of an answer, or of a stream's last chunk. `prompt_tokens` includes the cached ones and `completion_tokens` the
 * reasoning: neither is added again. Undefined where the answer carries none.
 */
export function readUsage(answer: JsonObject): Usage | undefined {
  const usage = objectIn(answer.usage)
  const prompt = countIn(usage.prompt_tokens)
  const completion = countIn(usage.completion_tokens)
  if (prompt === undefined && completion === undefined) return undefined
  const read = objectIn(usage.prompt_tokens_details)
  const cache_read_tokens = Math.min(countIn(read.cached_tokens) ?? 0, prompt ?? 0)
  const uncached = (prompt ?? 0) - cache_read_tokens
  const input_audio_tokens = Math.min(countIn(read.audio_tokens) ?? 0, uncached)
  const reasoning = countIn(objectIn(usage.completion_tokens_details).reasoning_tokens) ?? 0
  const thinking_tokens = Math.min(reasoning, completion ?? 0)
  return {
    input_tokens: uncached - input_audio_tokens,
    input_audio_tokens,
    cache_read_tokens,
    cache_write_5m_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: (completion ?? 0) - thinking_tokens,
    thinking_tokens,
    output_image_tokens: 0,
  }
}

/** What was billed, as a caller of chat completions reads it. `cache_write_tokens` is OpenRouter's word; OpenAI has none. */
export function writeUsage(usage: Usage): JsonObject {
  const written = usage.cache_write_5m_tokens + usage.cache_write_1h_tokens
  return {
    prompt_tokens: promptTokens(usage),
    completion_tokens: usage.output_tokens + usage.thinking_tokens + usage.output_image_tokens,
    total_tokens: totalTokens(usage),
    prompt_tokens_details: {
      cached_tokens: usage.cache_read_tokens,
      audio_tokens: usage.input_audio_tokens,
      ...(written > 0 ? { cache_write_tokens: written } : {}),
    },
    completion_tokens_details: { reasoning_tokens: usage.thinking_tokens },
  }
}

/** The output of a whole answer in estimated tokens, for one without usage. */
export function estimateOutput(answer: JsonObject): number {
  return objectsIn(answer.choices).reduce(
    (tokens, choice) => tokens + estimateTokens(writtenText(objectIn(choice.message))),
    0,
  )
}

/** All text that a message, or a stream's delta, makes the model write. */
export function writtenText(message: JsonObject): string {
  const calls = objectsIn(message.tool_calls).map((call) => {
    const called = objectIn(call.function)
    return `${stringIn(called.name) ?? ''}${stringIn(called.arguments) ?? ''}`
  })
  const thought = stringIn(message.reasoning_content) ?? stringIn(message.reasoning)
  return [thought, stringIn(message.content), stringIn(message.refusal), ...calls].join('')
}

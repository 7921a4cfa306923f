// The token counts of a response's usage, read and written.
// https://platform.openai.com/docs/api-reference/responses/object#responses/object-usage
import { promptTokens, type ReportedUsage, totalTokens, type Usage } from '../../../domain/usage.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'
import { readCounts, writtenForHour } from '../usage.ts'
import { outputTokens } from './output-fields.ts'

/** The response object of a whole answer, or of a stream's event. */
export const responseIn = (answer: JsonObject): JsonObject =>
  isObject(answer.response) ? answer.response : answer

/** The usage of a whole answer, or of a stream's last event; undefined if it reports none. Its counts are those of chat completions, under other names. */
export const readUsage = (answer: JsonObject): ReportedUsage | undefined =>
  readCounts(responseIn(answer).usage)

/** Replaces the usage of an answer or event that has one. */
export function showUsage(answer: JsonObject, usage: Usage): JsonObject {
  const response = responseIn(answer)
  if (!isObject(response.usage)) return answer
  const response_with_usage = { ...response, usage: writeUsage(usage) }
  return response === answer ? response_with_usage : { ...answer, response: response_with_usage }
}

/** The billed usage in the format of responses, in which all fields are required (openai 6.49.0, `ResponseUsage`). */
export const writeUsage = (usage: Usage): JsonObject => ({
  input_tokens: promptTokens(usage),
  input_tokens_details: {
    cached_tokens: usage.cache_read_tokens,
    cache_write_tokens: usage.cache_write_5m_tokens + usage.cache_write_1h_tokens,
    ...writtenForHour(usage),
  },
  output_tokens: usage.output_tokens + usage.thinking_tokens + usage.output_image_tokens,
  output_tokens_details: { reasoning_tokens: usage.thinking_tokens },
  total_tokens: totalTokens(usage),
})

export const estimateOutput = (answer: JsonObject): number => outputTokens(answer.output)

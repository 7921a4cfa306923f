// Owns what differs between the models behind chat completions, as far as their names tell.

/** OpenAI's own models, under their own names or behind a router (`openai/gpt-5`), without the open-weights ones. */
const VENDOR_MODEL = /(?:^|\/)(?:o\d|gpt-(?!oss)|chatgpt-)/

/**
 * The field of the output limit. OpenAI's reasoning models refuse `max_tokens`; servers such as Ollama know nothing else.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-max_completion_tokens
 */
export const limitField = (model: string): 'max_completion_tokens' | 'max_tokens' =>
  VENDOR_MODEL.test(model) ? 'max_completion_tokens' : 'max_tokens'

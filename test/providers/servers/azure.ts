// OpenAI's models on Azure: OpenAI's rules, with the results of content filters.
// https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter
import type { JsonObject } from '../json.ts'
import { OPENAI_STILLS } from '../openai/images.ts'
import { openaiForm } from '../openai/openai-form.ts'
import { openai } from './openai.ts'
import type { Server } from './server.ts'

const SAFE: JsonObject = { filtered: false, severity: 'safe' }
const FILTERED: JsonObject = { hate: SAFE, self_harm: SAFE, sexual: SAFE, violence: SAFE }
const PROMPT: JsonObject = {
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: { ...FILTERED, jailbreak: SAFE } }],
}

export const azure: Server = {
  ...openai,
  name: 'azure',
  // "GIF (first frame only)": https://learn.microsoft.com/azure/ai-foundry/openai/how-to/gpt-with-vision
  rules: openai.rules.filter((rule) => rule !== OPENAI_STILLS),
  form: {
    ...openaiForm,
    around: (_call, place) => ({
      system_fingerprint: 'fp_simulated',
      ...(place === 'whole' || place === 'first' ? PROMPT : {}),
    }),
    choice: (logprobs) => ({ logprobs, content_filter_results: FILTERED }),
  },
}

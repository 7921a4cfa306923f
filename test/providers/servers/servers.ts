// The simulated chat completions servers by name.
import { azure } from './azure.ts'
import { deepseek } from './deepseek.ts'
import { groq } from './groq.ts'
import { mistral } from './mistral.ts'
import { moonshot } from './moonshot.ts'
import { ollama } from './ollama.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import type { Server } from './server.ts'
import { together } from './together.ts'
import { vllm } from './vllm.ts'
import { xai } from './xai.ts'

/** A new server is a file, and a line here. */
export const SERVERS: readonly Server[] = [
  openai,
  azure,
  openrouter,
  groq,
  deepseek,
  mistral,
  xai,
  moonshot,
  together,
  ollama,
  vllm,
]

// The JavaScript clients, all of them development packages of this project.
import { aiSdk } from './ai-sdk.ts'
import { anthropic } from './anthropic.ts'
import type { JavascriptClient } from './client.ts'
import { google } from './google.ts'
import { langchain } from './langchain.ts'
import { openaiChat, openaiResponses } from './openai.ts'

export const JAVASCRIPT_CLIENTS: readonly JavascriptClient[] = [
  openaiChat,
  openaiResponses,
  anthropic,
  google,
  ...aiSdk,
  ...langchain,
]

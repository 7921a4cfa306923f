// The deciding names of native requests. The provider accepts both camelCase and snake_case.
import { type NamesOptions, namesFrom } from '../wire/json-names.ts'
import { carries } from './carries.ts'
import { GenerateContentRequest, GenerationConfig } from './decode-request.ts'
import { extras } from './extras.ts'

const SNAKE_TOO: NamesOptions = { snake_too: true }

const MEDIA = namesFrom({ mimeType: 'value', data: 'value', fileUri: 'value' }, SNAKE_TOO)
/** A part. A function response may contain further parts. */
const PART = namesFrom(
  { text: 'value', inlineData: MEDIA, fileData: MEDIA },
  {
    ...SNAKE_TOO,
    harmless: ['functionCall', 'thought', 'thoughtSignature', 'function_call', 'id', 'name', 'response'],
    inside: ['functionResponse', 'parts'],
  },
)
const CONTENT = namesFrom({ role: 'value', parts: PART })

const CONFIG = namesFrom(
  {
    maxOutputTokens: 'count',
    candidateCount: 'count',
    thinkingConfig: namesFrom(
      { thinkingBudget: 'count', thinkingLevel: 'value', includeThoughts: 'value' },
      SNAKE_TOO,
    ),
    responseSchema: 'value',
    responseJsonSchema: 'value',
    responseModalities: 'value',
    imageConfig: 'value',
    speechConfig: 'value',
    mediaResolution: 'value',
  },
  {
    ...SNAKE_TOO,
    harmless: Object.keys(GenerationConfig.properties),
    aliases: { maxTokens: 'maxOutputTokens', numCandidates: 'candidateCount' },
  },
)

const TOOL = namesFrom(
  {
    functionDeclarations: 'value',
    googleSearch: 'value',
    googleSearchRetrieval: 'value',
    codeExecution: 'value',
    urlContext: 'value',
    fileSearch: 'value',
    googleMaps: 'value',
    computerUse: 'value',
    enterpriseWebSearch: 'value',
  },
  SNAKE_TOO,
)

/** Includes fields that the provider bills beside tokens, so that no other spelling of them passes. */
export const generateNames = namesFrom(
  {
    model: 'value',
    contents: CONTENT,
    systemInstruction: CONTENT,
    generationConfig: CONFIG,
    tools: TOOL,
    toolConfig: 'value',
    cachedContent: 'value',
  },
  {
    ...SNAKE_TOO,
    growing: 'contents',
    billed: extras.decisive_fields,
    harmless: [...Object.keys(GenerateContentRequest.properties), ...Object.keys(carries.own_fields)],
  },
)

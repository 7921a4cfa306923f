// The bodies of the native API, from the forms by which they are read.
import {
  FileData,
  FunctionCall,
  FunctionResponse,
  InlineData,
  RequestContent,
  RequestPart,
} from '../../../src/protocols/gemini/decode-contents.ts'
import {
  GenerateContentRequest,
  GenerationConfig,
  ImageConfig,
  ThinkingConfig,
} from '../../../src/protocols/gemini/decode-request.ts'
import { FunctionCallingConfig, FunctionDeclaration } from '../../../src/protocols/gemini/decode-tools.ts'
import { anyObject, count, described, either, flag, list, object, ref, type Schema, text } from '../schema.ts'

const part = described(RequestPart, {
  text: 'A text.',
  thought: "The text is the model's thinking, in an answer that is sent back.",
  thoughtSignature: 'What an answer had there: send it back as it came.',
  inlineData: described(
    InlineData,
    { mimeType: 'Such as `image/png`.', data: 'The bytes in base64.' },
    { description: 'An image, audio or a document.' },
  ),
  fileData: described(
    FileData,
    { fileUri: 'A public https address.', mimeType: 'Such as `image/png`.' },
    { description: 'The same at an address. Stored files of a provider are refused.' },
  ),
  functionCall: described(
    FunctionCall,
    {
      id: 'The id of the call.',
      name: 'The function.',
      args: anyObject('Its arguments.'),
    },
    { description: 'A call that the model made.' },
  ),
  functionResponse: described(
    FunctionResponse,
    {
      id: 'The id of the call.',
      name: 'The function.',
      response: anyObject('What it returned.'),
      parts: list(anyObject('`inlineData` or `fileData`.'), 'Images that it returned.'),
    },
    { description: 'The result of a call.' },
  ),
})

const content = described(
  RequestContent,
  {
    role: '`user`, or `model` for an earlier answer.',
    parts: list(ref('Part'), 'What is said.'),
  },
  { required: ['parts'] },
)

const config = described(
  GenerationConfig,
  {
    maxOutputTokens: 'The most tokens that an answer may have. It decides what is held before the call.',
    temperature: 'How much chance there is in the choice of words.',
    topP: 'Choose among the likeliest tokens, up to this probability together.',
    topK: 'Choose among this many of the likeliest tokens.',
    stopSequences: 'Texts that end the answer.',
    seed: 'The same number gives the same answer, as far as the provider can.',
    candidateCount: 'How many answers to make. Each is paid for.',
    thinkingConfig: described(ThinkingConfig, {
      thinkingBudget: 'Tokens for thinking: 0 for none, -1 for as many as the model likes.',
      thinkingLevel: 'How much to think, in place of a budget.',
      includeThoughts: 'Show a summary of the thoughts.',
    }),
    responseMimeType: '`application/json` for an answer in JSON.',
    responseSchema: anyObject("The schema of that JSON, in Google's form."),
    responseJsonSchema: anyObject('The same as a JSON Schema.'),
    responseModalities: '`TEXT`, `IMAGE` or both, for models that draw.',
    imageConfig: described(ImageConfig, {
      aspectRatio: 'Such as `16:9`.',
      imageSize: '`1K`, `2K` or `4K`.',
    }),
    responseLogprobs: 'Answer the log probabilities of the tokens.',
    logprobs: 'How many alternatives to each.',
    frequencyPenalty: 'Against words that come often.',
    presencePenalty: 'Against words that have come.',
  },
  { description: 'How the answer is made.' },
)

const calling = described(FunctionCallingConfig, {
  mode: 'Whether the model may, must or must not call a function.',
  allowedFunctionNames: 'Those that it may call.',
})

const declaration = described(FunctionDeclaration, {
  name: "The function's name.",
  description: 'What it does: the model reads this.',
  parameters: anyObject("Its parameters, in Google's form of schema."),
  parametersJsonSchema: anyObject('The same as a JSON Schema.'),
})

const counts = (description: string): Schema =>
  list(object({ modality: text('Such as `TEXT`.'), tokenCount: count('Its tokens.') }), description)

export const nativeSchemas: Readonly<Record<string, Schema>> = {
  Part: part,
  Content: content,
  GenerateContentRequest: described(
    GenerateContentRequest,
    {
      contents: list(ref('Content'), 'The conversation, the latest turn last.'),
      systemInstruction: either(
        'What the model is told before the conversation.',
        object({ parts: list(object({ text: text('The text.') })) }, { required: ['parts'] }),
        text('A text alone.'),
      ),
      tools: list(object({ functionDeclarations: list(declaration) }), 'Functions that the model may call.'),
      toolConfig: object(
        { functionCallingConfig: calling },
        { description: 'The choice among the functions.' },
      ),
      generationConfig: config,
    },
    {
      properties: {
        safetySettings: list(anyObject(''), 'For providers of this API.'),
        cachedContent: text('For providers of this API: cached content that the operator has made.'),
      },
    },
  ),
  GenerateContentResponse: object({
    candidates: list(
      object({
        index: count('Which of several answers.'),
        content: object({ role: text('`model`'), parts: list(ref('AnswerPart')) }),
        finishReason: text('Why the answer ended: `STOP`, `MAX_TOKENS`, `SAFETY` and others.'),
      }),
    ),
    promptFeedback: object({ blockReason: text('Why there is no answer.') }),
    usageMetadata: object(
      {
        promptTokenCount: count('Tokens of the request, those of the cache among them.'),
        cachedContentTokenCount: count('Tokens that were read from a cache.'),
        candidatesTokenCount: count('Tokens of the answer, without thinking.'),
        thoughtsTokenCount: count('Tokens of thinking.'),
        totalTokenCount: count('All together.'),
        promptTokensDetails: counts('The request by modality.'),
        candidatesTokensDetails: counts('The answer by modality.'),
      },
      { description: 'What is charged, as the provider counted it.' },
    ),
    modelVersion: text('The model that was asked for.'),
    responseId: text('An id of this answer.'),
  }),
  AnswerPart: object({
    text: text('A text.'),
    thought: flag('It is thinking.'),
    thoughtSignature: text('Send it back with the part.'),
    inlineData: object({ mimeType: text('Such as `image/png`.'), data: text('A picture in base64.') }),
    functionCall: object({
      id: text('The id of the call.'),
      name: text('The function.'),
      args: anyObject('Its arguments.'),
    }),
  }),
}

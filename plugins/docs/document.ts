// The OpenAPI document: what the routes' schemas say, and what is written of those that read their own bytes.
import type { AnyElysia } from 'elysia'
import { ANSWERS } from './answers.ts'
import { type Converted, convert, routesOf } from './converted.ts'
import { ERROR_SCHEMAS, SECURITY_SCHEMES, securityOf } from './dialects.ts'
import { failuresOfRoute, failuresOfWritten } from './failures.ts'
import { HEADERS, type HeaderName } from '../../src/app/reference/headers.ts'
import {
  type Answer,
  type Content,
  type Grouped,
  IDEMPOTENCY_KEY,
  type Parameter,
  TAGS,
  type Tag,
} from '../../src/app/reference/operation.ts'
import { reasonToLeaveOut, SCHEMAS, WRITTEN } from './operations/index.ts'
import { PREFACE } from './preface.ts'
import { ref, type Schema } from '../../src/app/reference/schema.ts'

const SHARED: Readonly<Record<string, Schema>> = { ...SCHEMAS, ...ERROR_SCHEMAS }

/**
 * The document of an application. It takes some 100 ms of work, in steps of a few.
 *
 * @param app any of its instances
 */
export async function documentOf(app: AnyElysia): Promise<Schema> {
  return {
    openapi: '3.1.1',
    info: PREFACE,
    servers: [{ url: '/', description: 'This gateway' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(await operationsOf(app)),
    components: {
      schemas: SHARED,
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, { description, ...schema }]) => [name, { description, schema }]),
      ),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

interface Operation {
  path: string
  method: string
  /** Undefined for a route that another plugin has brought. */
  tag: Tag | undefined
  operation: Schema
}

/** By their groups; in each, those that are written first, in the order in which they are written. */
function pathsOf(operations: readonly Operation[]): Record<string, Record<string, Schema>> {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const group of [...Object.keys(TAGS), undefined])
    for (const { path, method, operation } of operations.filter(({ tag }) => tag === group))
      paths[path] = { ...paths[path], [method]: operation }
  return paths
}

async function operationsOf(app: AnyElysia): Promise<Operation[]> {
  const routes = routesOf(app)
  const operations: Operation[] = []
  for (const name of new Set([...Object.keys(WRITTEN), ...routes.keys()])) {
    const route = routes.get(name)
    const written = WRITTEN[name]
    if (!route || (!written && reasonToLeaveOut(name) !== undefined)) continue
    for (const { path, method, converted } of await convert(app, route)) {
      for (const one of written ?? [])
        operations.push({ path: one.path ?? path, method, tag: one.tag, operation: byWords(one, converted) })
      if (!written) operations.push({ method, ...bySchemas(name, path, converted) })
    }
  }
  return operations
}

/** An operation whose route reads its own bytes. */
function byWords(written: Grouped, { requestBody }: Converted): Schema {
  const { id, tag, summary, description, parameters = [], body, examples = {}, is_free } = written
  const { answer, headers, content } = written
  const of_route = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => [
    type,
    { schema, examples: examples[type] },
  ])
  const answers = { ...failuresOfWritten(written), 200: { description: answer, headers, content } }
  return {
    tags: [tag],
    operationId: id,
    summary,
    description,
    security: securityOf(tag),
    parameters: is_free ? parameters : [...parameters, IDEMPOTENCY_KEY],
    requestBody: { required: true, content: withExamples(body ?? Object.fromEntries(of_route)) },
    responses: answersOf(answers, tag),
  }
}

/** An operation that its route's schemas and `detail` describe whole. */
function bySchemas(name: string, path: string, converted: Converted): Omit<Operation, 'method'> {
  const { operationId, tags, summary = name, description, parameters = [], requestBody } = converted
  const tag = tags?.find((one): one is Tag => one in TAGS)
  const wildcard = parameters.find((one) => one.name === '*')?.schema.title ?? 'rest'
  return {
    path: path.replace('*', `{${wildcard}}`),
    tag,
    operation: {
      tags,
      operationId,
      summary,
      description,
      security: tag && securityOf(tag),
      parameters: parameters.map((parameter) =>
        plainParameter(parameter.name === '*' ? { ...parameter, name: `${wildcard}` } : parameter),
      ),
      requestBody,
      responses: answersOf(answersBySchemas(converted, tag), tag),
    },
  }
}

function plainParameter({ name, in: place, required, schema, ...told }: Parameter): Schema {
  const { description, examples, title, ...rest } = schema
  const [example] = Array.isArray(examples) ? examples : []
  return { name, in: place, required: required || undefined, description, example, ...told, schema: rest }
}

/** Those that the route's schemas describe; its failures as its surface writes them. */
function answersBySchemas({ requestBody, responses = {} }: Converted, tag: Tag | undefined) {
  const schemas = Object.entries(responses).map(([status, { content = {} }]): [string, string, Schema] => {
    const [type = 'application/json'] = Object.keys(content)
    return [status, type, content[type]?.schema ?? {}]
  })
  if (!tag) return Object.fromEntries(schemas.map(([status, ...shown]) => [status, answerOf(...shown)]))
  const failed = schemas.filter(([, , { title }]) => `${title}` in ERROR_SCHEMAS).map(([status]) => status)
  const failures = failuresOfRoute(failed, tag, requestBody !== undefined)
  return Object.fromEntries(
    schemas.map(([status, type, schema]): [string, Answer] => {
      const { [status]: failure } = failures
      const { title, description = failure?.description } = schema
      if (failure) return [status, { ...failure, description: `${description}` }]
      return [status, answerOf(type, `${title}` in SHARED ? { description, ...ref(`${title}`) } : schema)]
    }),
  )
}

function answerOf(of_route: string, { description = 'An answer.', media_types, ...schema }: Schema): Answer {
  const types = Array.isArray(media_types) ? media_types : [of_route]
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  return { description: `${description}`, content }
}

function answersOf(answers: Readonly<Record<string, Answer>>, tag: Tag | undefined): Schema {
  const always: HeaderName[] = tag === 'Anthropic API' ? ['x-request-id', 'request-id'] : ['x-request-id']
  const answered = Object.entries(answers).map(([status, { description, headers = [], content }]) => {
    const names = tag ? [...always, ...headers] : []
    const referred = names.map((name) => [name, { $ref: `#/components/headers/${name}` }])
    return [status, { description, headers: Object.fromEntries(referred), content: withExamples(content) }]
  })
  return answered.length > 0 ? Object.fromEntries(answered) : { default: { description: 'An answer.' } }
}

/** Shared answers have an example of their own. */
const withExamples = (content: Content) =>
  Object.fromEntries(
    Object.entries(content).map(([type, { schema, examples = ANSWERS[`${schema.$ref}`] ?? {} }]) => {
      const named = Object.entries(examples).map(([summary, value]) => [summary, { summary, value }])
      return [type, { schema, examples: named.length > 0 ? Object.fromEntries(named) : undefined }]
    }),
  )

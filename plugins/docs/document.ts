// The OpenAPI document, made from routes' schemas, and from plugins' references for routes that parse the body themselves.
import type { AnyElysia } from 'elysia'
import {
  type Answer,
  type Content,
  type Examples,
  HEADERS,
  type HeaderName,
  IDEMPOTENCY_KEY,
  type Parameter,
  type Reference,
  TAGS,
  type Tag,
  type WrittenOperation,
} from '../../src/app/reference/operation.ts'
import { ref, type Schema } from '../../src/app/reference/schema.ts'
import { brandName } from '../../src/domain/brand.ts'
import { type Converted, convert, isTypeBox, published, routesOf } from './converted.ts'
import { ERROR_SCHEMAS, SECURITY_SCHEMES, securityOf } from './dialects.ts'
import { failuresOfReferenced, failuresOfRoute } from './failures.ts'
import preface from './preface.md' with { type: 'text' }

/** Schemas that several operations share, and an example of each that is a response. */
interface Shared {
  readonly schemas: Readonly<Record<string, Schema>>
  readonly answers: Readonly<Record<string, unknown>>
}

/**
 * Makes the document of an application. This takes about 100 ms in short steps, between which calls are served.
 * @param path the path of the public URL, under which the routes are
 * @param title the title of the API: the operator's brand name
 */
export async function documentOf(
  app: AnyElysia,
  references: readonly Reference[] = [],
  { path = '', title = brandName({}) } = {},
): Promise<Schema> {
  const shared: Shared = {
    schemas: Object.assign({}, ...references.map(({ schemas }) => schemas), ERROR_SCHEMAS),
    answers: Object.assign({}, ...references.map(({ answers }) => answers)),
  }
  return {
    openapi: '3.1.1',
    info: { title, version: '1', description: preface.trim() },
    servers: [{ url: path || '/', description: 'This gateway' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(await operationsOf(app, references, shared)),
    components: {
      schemas: shared.schemas,
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
  /** Undefined if the route's `detail` has no group. */
  tag: Tag | undefined
  operation: Schema
}

/** Sorts operations by group; within a group, operations of references come first, in the order of the plugins. */
function pathsOf(operations: readonly Operation[]): Record<string, Record<string, Schema>> {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const group of [...Object.keys(TAGS), undefined])
    for (const { path, method, operation } of operations.filter(({ tag }) => tag === group))
      paths[path] = { ...paths[path], [method]: operation }
  return paths
}

async function operationsOf(
  app: AnyElysia,
  references: readonly Reference[],
  shared: Shared,
): Promise<Operation[]> {
  const routes = routesOf(app)
  const all = references.flatMap(({ tag, operations }) => operations.map((one) => ({ tag, ...one })))
  const by_route = Map.groupBy(all, ({ route }) => route)
  const operations: Operation[] = []
  for (const name of new Set([...by_route.keys(), ...routes.keys()])) {
    const route = routes.get(name)
    if (!route) continue
    const of_route = by_route.get(name)
    for (const { path, method, converted } of await convert(app, route)) {
      for (const { tag, ...one } of of_route ?? [])
        operations.push({
          path: one.path ?? path,
          method,
          tag,
          operation: referencedOperation(one, tag, shared),
        })
      if (!of_route) operations.push({ method, ...schemaOperation(name, path, converted, shared) })
    }
  }
  return operations
}

/** Describes an operation by a plugin's reference, because its route parses the body itself. */
function referencedOperation(written: WrittenOperation, tag: Tag, shared: Shared): Schema {
  const { id, summary, description, parameters = [], body, is_free, answer, headers, content } = written
  const answers = { ...failuresOfReferenced(written, tag), 200: { description: answer, headers, content } }
  return {
    tags: [tag],
    operationId: id,
    summary,
    description,
    security: securityOf(tag),
    parameters: is_free ? parameters : [...parameters, IDEMPOTENCY_KEY],
    requestBody: { required: true, content: withExamples(publishedContent(body), shared) },
    responses: answersOf(answers, tag, shared),
  }
}

/** Publishes the TypeBox schemas among the schemas of a reference. */
const publishedContent = (content: Content): Content =>
  Object.fromEntries(
    Object.entries(content).map(([type, { schema, ...rest }]) => [
      type,
      { schema: isTypeBox(schema) ? published(schema) : schema, ...rest },
    ]),
  )

/** Describes an operation by its route's schemas and `detail`. */
function schemaOperation(
  name: string,
  path: string,
  converted: Converted,
  shared: Shared,
): Omit<Operation, 'method'> {
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
      responses: answersOf(schemaAnswers(converted, tag, shared), tag, shared),
    },
  }
}

function plainParameter({ name, in: place, required, schema, ...rest }: Parameter): Schema {
  const { description, examples, title, ...plain } = schema
  const [example] = Array.isArray(examples) ? examples : []
  return { name, in: place, required: required || undefined, description, example, ...rest, schema: plain }
}

/** Returns the answers that the route's schemas declare, with failures in the form of its surface. */
function schemaAnswers({ requestBody, responses = {} }: Converted, tag: Tag | undefined, shared: Shared) {
  const schemas = Object.entries(responses).map(([status, { content = {} }]): [string, string, Schema] => {
    const [type = 'application/json'] = Object.keys(content)
    return [status, type, content[type]?.schema ?? {}]
  })
  if (!tag)
    return Object.fromEntries(schemas.map(([status, type, schema]) => [status, answerOf(type, schema)]))
  const failed = schemas.filter(([, , { title }]) => `${title}` in ERROR_SCHEMAS).map(([status]) => status)
  const failures = failuresOfRoute(failed, tag, requestBody !== undefined)
  return Object.fromEntries(
    schemas.map(([status, type, schema]): [string, Answer] => {
      const { [status]: failure } = failures
      const { title, description = failure?.description } = schema
      if (failure) return [status, { ...failure, description: `${description}` }]
      return [
        status,
        answerOf(type, `${title}` in shared.schemas ? { description, ...ref(`${title}`) } : schema),
      ]
    }),
  )
}

function answerOf(fallback: string, { description = 'An answer.', media_types, ...schema }: Schema): Answer {
  const types = Array.isArray(media_types) ? media_types : [fallback]
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  return { description: `${description}`, content }
}

function answersOf(answers: Readonly<Record<string, Answer>>, tag: Tag | undefined, shared: Shared): Schema {
  const always: HeaderName[] = tag === 'Anthropic API' ? ['x-request-id', 'request-id'] : ['x-request-id']
  const answered = Object.entries(answers).map(([status, { description, headers = [], content }]) => {
    const names = tag ? [...always, ...headers] : []
    const referred = names.map((name) => [name, { $ref: `#/components/headers/${name}` }])
    return [
      status,
      { description, headers: Object.fromEntries(referred), content: withExamples(content, shared) },
    ]
  })
  return answered.length > 0 ? Object.fromEntries(answered) : { default: { description: 'An answer.' } }
}

/** Adds examples to contents: their own, or the example of the shared schema. */
const withExamples = (content: Content, { answers }: Shared) =>
  Object.fromEntries(
    Object.entries(content).map(([type, { schema, examples = exampleOf(schema, answers) }]) => {
      const named = Object.entries(examples).map(([summary, value]) => [summary, { summary, value }])
      return [
        type,
        {
          schema,
          examples: named.length > 0 ? Object.fromEntries(named) : undefined,
        },
      ]
    }),
  )

function exampleOf({ $ref }: Schema, answers: Shared['answers']): Examples {
  const answer = Object.keys(answers).find((name) => ref(name).$ref === $ref)
  return answer === undefined ? {} : { 'An answer': answers[answer] }
}

// The JavaScript clients of the suite, as clients of the list: they are development packages of this project, and run in this process.
import type { Client } from './client.ts'
import { FEATURES } from './feature.ts'
import type { JavascriptClient } from './javascript/client.ts'
import { JAVASCRIPT_CLIENTS } from './javascript/clients.ts'

const clientOf = (client: JavascriptClient): Client => ({
  name: `npm-${client.name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replaceAll(/^-|-$/g, '')}`,
  title: client.name,
  group: 'JavaScript',
  version: require(`${import.meta.dir}/../../../node_modules/${client.package}/package.json`).version,
  protocol: client.protocol,
  features: FEATURES.filter((feature) => client.features[feature]),
  async show(feature, at) {
    const show = client.features[feature]
    if (!show) throw new Error(`${client.name} has no ${feature}`)
    return await show(at)
  },
})

export const NPM_CLIENTS: readonly Client[] = JAVASCRIPT_CLIENTS.map(clientOf)

// The form beside the text: one provider, model or section of settings at a time, chosen from a list.
import { Plus, Trash2 } from 'lucide-react'
import { useAddressState } from '../../../console/web/parts/address-state.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { freeName } from '../new-provider/choices.ts'
import type { Draft } from '../parts/draft.ts'
import { ModelFields } from '../parts/model-fields.tsx'
import { ProviderFields } from '../parts/provider-fields.tsx'
import { SchemaFields, useSettings } from '../parts/schema-fields.tsx'
import { type Block, blockAt, blocksOf, textAt, type Value } from '../parts/values.ts'

interface Chosen {
  section: 'models' | 'providers'
  at: number
  block: Block
  name: string
}

const nameOf = (section: Chosen['section'], block: Block): string =>
  textAt(block, section === 'models' ? 'id' : 'name')

function chosenIn(draft: Draft, value: string): Chosen | undefined {
  const [section, at] = value.split(' ')
  if (section !== 'models' && section !== 'providers') return undefined
  const block = blocksOf(draft.values, section)[Number(at)]
  return block && { section, at: Number(at), block, name: nameOf(section, block) }
}

/** Where the address names no part. */
export const FIRST_PART = 'models 0'

/** The line of the text where a part begins; undefined where it is written otherwise than as a table, or not at all. */
export function lineOfPart(text: string, part: string): number | undefined {
  const [kind = '', name = ''] = part.split(' ')
  const head = kind === 'settings' ? `[${name}]` : `[[${kind}]]`
  const heads = text.split('\n').flatMap((line, at) => (line.trim().startsWith(head) ? [at + 1] : []))
  return heads[kind === 'settings' ? 0 : Number(name)]
}

export function BlockForm({ draft }: { draft: Draft }) {
  const [state, change] = useAddressState({ part: FIRST_PART })
  const settings = useSettings()
  const sections = settings.data?.sections ?? []
  const chosen = chosenIn(draft, state.part)
  const section = sections.find(({ name }) => state.part === `settings ${name}`)
  if (!draft.values)
    return (
      <p className="soft">The form comes back once the text is valid TOML. See the mistake below the text.</p>
    )
  const options = [
    ...(['providers', 'models'] as const).flatMap((kind) =>
      blocksOf(draft.values, kind).map((block, at) => ({
        value: `${kind} ${String(at)}`,
        label: `${kind === 'models' ? 'Model' : 'Provider'} ${nameOf(kind, block)}`,
      })),
    ),
    ...sections.map(({ name }) => ({ value: `settings ${name}`, label: `Settings: ${name}` })),
  ]
  const choose = (part: string) => change({ part })
  return (
    <div className="stack">
      <div className="stack">
        <Field label="Part of the file">
          <Select options={options} value={state.part} onChange={choose} />
        </Field>
        <AddButtons draft={draft} choose={choose} />
      </div>
      {draft.failure && <p className="field-error">{draft.failure}</p>}
      {chosen && settings.data && <BlockFields draft={draft} chosen={chosen} choose={choose} />}
      {section && (
        <div className="stack" key={section.name}>
          <SchemaFields
            draft={draft}
            path={[section.name]}
            block={blockAt(draft.values, section.name)}
            fields={section.fields}
            empty="none"
          />
        </div>
      )}
      {settings.data && (
        <>
          {!chosen && !section && <p className="soft">Choose a part.</p>}
          <p className="soft small">
            Edit the text for limits of single accounts and keys, and for settings without a form.
          </p>
        </>
      )}
    </div>
  )
}

interface Choosing {
  draft: Draft
  choose: (part: string) => void
}

function AddButtons({ draft, choose }: Choosing) {
  const add = async (section: 'models' | 'providers') => {
    const blocks = blocksOf(draft.values, section)
    const taken = blocks.map((block) => nameOf(section, block))
    const name = freeName(section === 'models' ? 'new-model' : 'new-provider', taken)
    const provider = textAt(blocksOf(draft.values, 'providers')[0], 'name')
    const value: Value =
      section === 'models'
        ? {
            id: name,
            kind: 'text',
            routes: [{ provider, model: name }],
            price: {},
          }
        : {
            name,
            protocol: 'openai',
            base_url: 'https://api.example.com/v1',
            api_keys: ['env:NEW_PROVIDER_KEY'],
          }
    if (await draft.edit([{ op: 'add', path: [section], value }]))
      choose(`${section} ${String(blocks.length)}`)
  }
  return (
    <div className="row">
      <Button small icon={Plus} onClick={() => void add('models')}>
        Add a model
      </Button>
      <Button small icon={Plus} onClick={() => void add('providers')}>
        Add a provider
      </Button>
    </div>
  )
}

function BlockFields({ draft, chosen: { section, at, block }, choose }: Choosing & { chosen: Chosen }) {
  const path = [section, at]
  const remove = async () => {
    if (await draft.edit([{ op: 'remove', path }])) choose(`${section} 0`)
  }
  return (
    <div className="stack" key={`${section} ${String(at)}`}>
      {section === 'models' ? (
        <ModelFields draft={draft} path={path} model={block} />
      ) : (
        <ProviderFields draft={draft} path={path} provider={block} />
      )}
      <div>
        <Button small icon={Trash2} onClick={() => void remove()}>
          Remove from the draft
        </Button>
      </div>
    </div>
  )
}

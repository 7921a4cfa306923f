// The dialog with the rate limits of one account or key. Empty fields take the limits of every account or key.
import { Gauge } from 'lucide-react'
import { EditForm } from '../../../console/web/parts/changes.tsx'
import { DialogButton } from '../../../console/web/parts/dialog-buttons.tsx'
import { Loaded } from '../../../console/web/parts/states.tsx'
import { useFile } from '../parts/draft.ts'
import type { Labels } from '../parts/labels.ts'
import { useSettings } from '../parts/schema-fields.tsx'
import type { SectionField } from '../parts/setting-text.ts'
import { type Block, blockAt, valueAt } from '../parts/values.ts'
import { useValues, type ValuesOptions } from './use-values.ts'
import { ValueFields } from './values-form.tsx'

interface EditLimitsProps {
  of: 'account' | 'key'
  /** The account's name, or the key's prefix. */
  name: string
}

export const EditLimits = (props: EditLimitsProps) => (
  <DialogButton
    icon={Gauge}
    right="operate"
    title={`Rate limits of ${props.name}`}
    content={(close) => <Limits {...props} onClose={close} />}
  >
    Edit limits
  </DialogButton>
)

function Limits({ of, name, onClose }: EditLimitsProps & { onClose: () => void }) {
  const settings = useSettings()
  const file = useFile()
  return (
    <Loaded query={settings}>
      {({ sections }) => (
        <Loaded query={file}>
          {(read) => {
            const limits = blockAt((read.values as Block | null) ?? {}, 'limits')
            const all = sections.find((section) => section.name === 'limits')?.fields ?? []
            const fields = all.flatMap((field): SectionField[] => {
              const [table, ...path] = field.path
              if (table !== of) return []
              const fallback = valueAt(limits, of, ...path) ?? null
              return [{ ...field, path, fallback }]
            })
            const at = ['limits', `${of}s`, name]
            return <ValuesInDialog {...{ at, fields, onClose }} file={read} labels={labelsOf(of)} />
          }}
        </Loaded>
      )}
    </Loaded>
  )
}

const labelsOf = (of: EditLimitsProps['of']): Labels => ({
  requests_per_minute: { label: 'Requests a minute', help: `Leave empty for the limit of every ${of}.` },
  tokens_per_minute: { label: 'Tokens a minute', help: 'Input and output together.' },
  concurrent_calls: {
    label: 'Concurrent requests',
    help: of === 'key' ? 'The lower of this and the key’s own applies.' : '',
  },
})

export function ValuesInDialog({ onClose, ...options }: ValuesOptions & { onClose: () => void }) {
  const values = useValues(options)
  return (
    <EditForm
      label="Settings"
      of={values}
      labels={values.labels}
      command={values.command}
      verb={options.verb}
      onClose={onClose}
    >
      <ValueFields values={values} fields={options.fields} labels={options.labels} />
    </EditForm>
  )
}

// The field for a provider's key: hidden text, or for service accounts a key file.
import { FileUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Field } from '../../../console/web/parts/field.tsx'
import { FileButton } from '../../../console/web/parts/files.tsx'
import { PasswordInput } from '../../../console/web/parts/password-input.tsx'

interface KeyFieldProps {
  value: string
  onChange: (value: string) => void
  /** Whether the key may be the file of a service account. */
  takes_accounts: boolean
  /** The page to create keys; empty if unknown. */
  keys_url: string
  may_be_empty: boolean
}

export function KeyField({ value, onChange, takes_accounts, keys_url, may_be_empty }: KeyFieldProps) {
  const account = takes_accounts ? accountOf(value) : undefined
  return (
    <Field
      label={takes_accounts ? 'Service account key' : 'API key'}
      name="api_key"
      help={<KeyHelp {...{ takes_accounts, keys_url, may_be_empty }} />}
    >
      <PasswordInput what="key" autoComplete="off" value={value} onChange={onChange} />
      {takes_accounts && (
        <div className="row">
          <FileButton
            small
            icon={FileUp}
            accept="application/json,.json"
            single
            onFiles={([file]) => void file?.text().then((text) => onChange(onOneLine(text)))}
          >
            Choose a JSON file
          </FileButton>
          <span className="small soft" role="status">
            {account}
          </span>
        </div>
      )}
    </Field>
  )
}

/** Joins lines, as browsers do for text pasted into a field of one line. JSON stays valid: it has line breaks only between tokens. */
const onOneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, '').trim()

function accountOf(text: string): string | undefined {
  try {
    const { client_email } = JSON.parse(text) as { client_email?: unknown }
    return typeof client_email === 'string' ? client_email : undefined
  } catch {
    // Another kind of key, or an incomplete file: the server reports faults.
    return undefined
  }
}

function KeyHelp({
  takes_accounts,
  keys_url,
  may_be_empty,
}: Pick<KeyFieldProps, 'takes_accounts' | 'keys_url' | 'may_be_empty'>) {
  return (
    <>
      {may_be_empty && 'Leave empty if the server needs no key. '}
      {keys_url !== '' && (
        <>
          Create one at <KeysPage url={keys_url} />
          {takes_accounts ? ', then choose its file or paste the text of it. ' : '. '}
        </>
      )}
      The key is stored in the configuration file and not shown again. To read it from an environment
      variable, enter <code>env:NAME</code>.
    </>
  )
}

const KeysPage = ({ url }: { url: string }): ReactNode => (
  <a href={url} target="_blank" rel="noreferrer">
    {new URL(url).host}
  </a>
)

import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Forbids importing what the layers below must not know. */
const never = (...patterns) => ({
  'no-restricted-imports': ['error', { patterns }]
});
const jupyter = {
  group: ['@jupyterlab/*', '@lumino/*', '@jupyter-widgets/*'],
  message: 'The view runs in any page: Jupyter is known only to src/lab, src/widget and src/mime.'
};
const above = (...folders) => ({
  regex: `^(\\.\\./)+(${folders.join('|')})(/|$)`,
  message: 'Imports point downward: protocol < store < view < widget, lab, mime.'
});

export default defineConfig(
  globalIgnores(['lib/', 'node_modules/']),
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname }
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true }
      ],
      // Counts and positions are written into text everywhere; `${n}` says no less than `${String(n)}`.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `() => callback()` for callbacks that return nothing is how handlers are written here.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // `x as T` and `x!` claim the same; a cast that names its type is at least searchable.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // Actions are plain objects of functions, passed about one by one as props.
      '@typescript-eslint/unbound-method': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-lines': ['error', 600],
      'no-console': ['error', { allow: ['warn', 'error'] }]
    }
  },
  { files: ['src/protocol/**'], rules: never(jupyter, above('store', 'view', 'widget', 'lab')) },
  { files: ['src/protocol/{messages,model}.ts'], rules: { 'max-lines': 'off' } }, // made of Python's
  { files: ['src/store/**'], rules: never(jupyter, above('view', 'widget', 'lab')) },
  { files: ['src/view/**'], rules: never(jupyter, above('widget', 'lab')) },
  { files: ['src/widget/**'], rules: never(jupyter, above('lab')) },
  { files: ['src/lab/**'], rules: never(above('widget')) },
  {
    files: ['scripts/**', '*.mjs'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly' } }
  }
);

// What @jupyter/builder adds to its own configuration. Numbers of modules and chunks are hashes of paths, some of
// them absolute: a build elsewhere would make other files. Names are relative to the package.
//
// The short names of variables go by how often letters occur. At that time the code holds hashes that absolute
// paths are part of, so two folders got other names now and then: the letters are not counted.
const { rspack } = require('@rspack/core');

module.exports = {
  optimization: {
    moduleIds: 'named',
    chunkIds: 'named',
    minimizer: [
      new rspack.SwcJsMinimizerRspackPlugin({
        minimizerOptions: { mangle: { disableCharFreq: true }, format: { comments: false } }
      }),
      new rspack.LightningCssMinimizerRspackPlugin()
    ]
  }
};

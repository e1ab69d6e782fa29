// What @jupyter/builder adds to its own configuration. Numbers of modules and chunks are hashes of paths, some of
// them absolute: a build elsewhere would make other files. Names are relative to the package.
module.exports = { optimization: { moduleIds: 'named', chunkIds: 'named' } };
